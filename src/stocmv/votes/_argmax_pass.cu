// Sum over examples of the probability that the arg-max vote errs, with its gradient by the voters' weights.
//
// A warp looks at 32 examples at a time, one a lane: integer weights of the classes tell on which of them the vote is as
// good as certain. The others wait until there are 32 of them. Their arithmetic is that of _classes.py, in double
// precision: every lane adds up the weights of the classes of one of them; then all lanes evaluate the quadrature of one
// example after the other, a node each; at last every lane adds up the gradients of some voters. Sums are sums of
// integers, the same in whatever order.

typedef unsigned int u32;
typedef unsigned long long u64;

#define LANES 33      // doubles a row in shared memory, so that columns lie in different banks
#define PACK (16 / (int)sizeof(LABEL))  // labels that are read at a time
#define CERTAIN 46.0  // exp(-46) = 1e-20, less than half a grain of any sum

struct Tables {
    const double* own;        // (n_rows, width)
    const double* rival;      // (n_rows, width)
    const int* offsets;       // (n_rows,)
    const double* shift;      // (n_nodes,)
    const double* weights;    // (n_nodes,)
    double rows_per_unit, geometric, geometric_index;
    int n_rows, width, root;
};

// Fills the weights c and slopes d of a six-point interpolation at concentration a; returns its first row.
__device__ int stencil(double a, const Tables& tables, double* c, double* d) {
    double r = tables.root ? sqrt(a + 0.25) : 0.0;
    double position = (tables.root ? r - 0.5 : a) * tables.rows_per_unit;
    double speed = tables.root ? tables.rows_per_unit / (2 * r) : tables.rows_per_unit;
    int first = min(max((int)position - 2, 0), tables.n_rows - 6);
    double u0 = position - first, u1 = u0 - 1, u2 = u0 - 2, u3 = u0 - 3, u4 = u0 - 4, u5 = u0 - 5;
    double p2 = u0 * u1, dp2 = u0 + u1, p3 = p2 * u2, dp3 = dp2 * u2 + p2, p4 = p3 * u3, dp4 = dp3 * u3 + p3;
    double p5 = p4 * u4, dp5 = dp4 * u4 + p4, q3 = u4 * u5, dq3 = u4 + u5, q2 = q3 * u3, dq2 = dq3 * u3 + q3;
    double q1 = q2 * u2, dq1 = dq2 * u2 + q2, q0 = q1 * u1, dq0 = dq1 * u1 + q1;
    c[0] = q0 * (-1.0 / 120);
    c[1] = u0 * q1 * (1.0 / 24);
    c[2] = p2 * q2 * (-1.0 / 12);
    c[3] = p3 * q3 * (1.0 / 12);
    c[4] = p4 * u5 * (-1.0 / 24);
    c[5] = p5 * (1.0 / 120);
    d[0] = dq0 * (-1.0 / 120) * speed;
    d[1] = (q1 + u0 * dq1) * (1.0 / 24) * speed;
    d[2] = (dp2 * q2 + p2 * dq2) * (-1.0 / 12) * speed;
    d[3] = (dp3 * q3 + p3 * dq3) * (1.0 / 12) * speed;
    d[4] = (dp4 * u5 + p4) * (-1.0 / 24) * speed;
    d[5] = dp5 * (1.0 / 120) * speed;
    return first;
}

__device__ __forceinline__ void interpolate(const double* table, const Tables& tables, int first, const double* c,
                                            const double* d, int node, double& value, double& slope) {
    value = slope = 0.0;
#pragma unroll
    for (int r = 0; r < 6; ++r) {
        double entry = table[(first + r) * tables.width + node - tables.offsets[first + r]];
        value += c[r] * entry;
        slope += d[r] * entry;
    }
}

__device__ __forceinline__ double added(double x) {
#pragma unroll
    for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

__device__ __forceinline__ double largest(double x) {
#pragma unroll
    for (int d = 16; d; d >>= 1) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
}

// A concentration at which a class is as good as certain to lose against the one with the most; see _classes.py.
__device__ __forceinline__ double negligible(double most) {
    double root = sqrt(most) - sqrt(CERTAIN / 0.6931471805599453);
    return root > 0.0 ? root * root : 0.0;
}

// Adds the weights of the voters to the classes that they answer: column `lane` of `sums`.
template <class T, int STRIDE>
__device__ __forceinline__ void add_up(const LABEL* answers, int n_voters, const T* weights, T* sums, int lane) {
    const uint4* packs = (const uint4*)answers;
    const int n_packs = (n_voters + PACK - 1) / PACK;
    uint4 next = packs[0];
    for (int i = 0; i < n_packs; ++i) {
        const uint4 pack = next;
        if (i + 1 < n_packs) next = packs[i + 1];
        const u32 words[4] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
        for (int j = 0; j < PACK; ++j) {
            u32 answer = words[j * 4 / PACK] >> (128 / PACK * (j % (PACK / 4))) & ((1u << 128 / PACK) - 1);
            sums[answer * STRIDE + lane] += weights[PACK * i + j];
        }
    }
}

// Whether a class with this weight is as good as certain to lose against the other, by Chernoff's bound.
// With d = (more - less) / (more + less), the logarithm of that bound is at most
// -(more + less) / 2 (d^2 + d^4 / 6 + d^6 / 15).
__device__ __forceinline__ bool decided(u32 less, u32 more, float rounding, float certain) {
    float sum = (float)more + (float)less, share = ((float)(more - less) - rounding) / sum, square = share * share;
    return share > 0.0f && sum * square * (1.0f + square * (1.0f / 6 + square / 15)) > certain;
}

extern "C" __global__ __launch_bounds__(256, 2) void argmax_pass(
    const LABEL* __restrict__ labels,    // (n_rows, width): filled up with zeros to 16 bytes
    const LABEL* __restrict__ targets,
    long long n_rows, int n_voters, int n_classes,
    const double* __restrict__ weights,  // (width,): filled up with zeros, as the next
    const u32* __restrict__ integers,    // (width,): the same, times `unit`
    float unit,
    Tables tables,
    double value_scale, double slope_scale,
    u64* __restrict__ sum,
    u64* __restrict__ gradient) {        // (n_voters,)
    extern __shared__ double memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, n_warps = blockDim.x >> 5;
    const int width = (n_voters + PACK - 1) / PACK * PACK;
    double* own_weights = memory;
    u32* own_integers = (u32*)(memory + width);
    const int per_warp = n_classes * (3 * LANES + 13) + 64;
    double* classes = memory + width + width / 2 + warp * per_warp;  // (n_classes, LANES): concentrations, then gradients
    double* values = classes + n_classes * LANES;           // (n_classes, LANES): factor of each rival at the nodes
    double* terms = values + n_classes * LANES;             // (n_classes, LANES): slopes times the factors before
    double* c = terms + n_classes * LANES;                  // (n_classes, 6)
    double* d = c + 6 * n_classes;                          // (n_classes, 6)
    int* first = (int*)(d + 6 * n_classes);                 // (n_classes,)
    long long* waiting = (long long*)(d + 7 * n_classes);  // (64,): examples that are not decided
    u32* rough = (u32*)classes;                             // (n_classes, 32)
    for (int j = threadIdx.x; j < width; j += blockDim.x) {
        own_weights[j] = weights[j];
        own_integers[j] = integers[j];
    }
    __syncthreads();

    u64 errors = 0;
    long long by_voter[SLOTS];
#pragma unroll
    for (int s = 0; s < SLOTS; ++s) by_voter[s] = 0;

    const float rounding = n_voters, certain = 2 * (float)CERTAIN * unit;
    const u64 one_error = __double2ull_rn(value_scale);
    const long long step = 32ll * gridDim.x * n_warps;
    int n_waiting = 0;
    for (long long begin = 32ll * (blockIdx.x * n_warps + warp); begin < n_rows || n_waiting; begin += step) {
        if (begin < n_rows) {
            bool open = false;
            for (int k = 0; k < n_classes; ++k) rough[k * 32 + lane] = 0;
            if (begin + lane < n_rows) {
                add_up<u32, 32>(labels + (begin + lane) * width, n_voters, own_integers, rough, lane);
                const int y = targets[begin + lane];
                u32 own = rough[y * 32 + lane], rival = 0;
                for (int k = 0; k < n_classes; ++k) rival = max(rival, k == y ? 0 : rough[k * 32 + lane]);
                open = !decided(min(own, rival), max(own, rival), rounding, certain);
                if (!open && rival > own) errors += one_error;
            }
            const u32 all_open = __ballot_sync(0xffffffffu, open);
            if (open) waiting[n_waiting + __popc(all_open & ((1u << lane) - 1))] = begin + lane;
            n_waiting += __popc(all_open);
            __syncwarp();
            if (n_waiting == 0 || (n_waiting < 32 && begin + step < n_rows)) continue;
        }
        const int count = min(32, n_waiting);
        n_waiting -= count;
        const long long example = waiting[n_waiting + min(lane, count - 1)];
        __syncwarp();
        for (int k = 0; k < n_classes; ++k) classes[k * LANES + lane] = 0.0;
        if (lane < count) add_up<double, LANES>(labels + example * width, n_voters, own_weights, classes, lane);
        __syncwarp();
        const int target = lane < count ? (int)targets[example] : 0;

        for (int row = 0; row < count; ++row) {
            const int y = __shfl_sync(0xffffffffu, target, row);
            int lo = 0, rivals = 0;
            double most = 0.0;
            for (int k = lane; k < n_classes; k += 32) most = fmax(most, classes[k * LANES + row]);
            const double least = negligible(largest(most));
            for (int k = lane; k < n_classes; k += 32) {
                double a = classes[k * LANES + row];
                first[k] = -1;
                if (a > (k == y ? 0.0 : least)) {
                    first[k] = stencil(a, tables, c + 6 * k, d + 6 * k);
                    lo = max(lo, tables.offsets[first[k] + 5]);
                    rivals += k != y;
                }
            }
            lo = __reduce_max_sync(0xffffffffu, lo);
            rivals = __reduce_add_sync(0xffffffffu, rivals);
            __syncwarp();
            const int of_own = first[y];
            double probability = 0.0, of_target = 0.0;
            double of_rival = 0.0;  // of class `lane`, `lane` + 32 and so on in `classes`
            const int hi = of_own < 0 ? 0 : tables.offsets[of_own] + tables.width;
            if (of_own >= 0 && rivals == 0) probability = 1.0;
            for (int k = lane; k < n_classes; k += 32) classes[k * LANES + row] = 0.0;
            __syncwarp();
            for (int start = lo; rivals && start < hi; start += 32) {
                const int node = start + lane;
                const bool inside = node < hi;
                double value = 0.0, slope = 0.0;
                if (inside) interpolate(tables.own, tables, of_own, c + 6 * y, d + 6 * y, node, value, slope);
                double weight = inside ? tables.weights[node] : 0.0, shift = inside ? tables.shift[node] : 0.0;
                double product = weight * value;
                double own_slope = weight * (slope + shift * value);
                for (int k = 0; k < n_classes; ++k) {
                    if (first[k] < 0 || k == y) continue;
                    value = 1.0;
                    slope = 0.0;
                    if (inside && node < tables.offsets[first[k]] + tables.width)
                        interpolate(tables.rival, tables, first[k], c + 6 * k, d + 6 * k, node, value, slope);
                    if (!tables.root) slope += shift * value;
                    values[k * LANES + lane] = value;
                    terms[k * LANES + lane] = product * slope;
                    product *= value;
                }
                const bool tail = node == lo && !tables.root;
                const double times = tail ? 1.0 + tables.geometric : 1.0, lost = tail ? product * tables.geometric_index : 0.0;
                probability += product * times;
                double after = 1.0;
                for (int k = n_classes - 1; k >= 0; --k) {
                    if (first[k] < 0 || k == y) continue;
                    terms[k * LANES + lane] = terms[k * LANES + lane] * after * times - lost;
                    after *= values[k * LANES + lane];
                }
                of_target += own_slope * after * times - lost;
                __syncwarp();
                for (int k = lane; k < n_classes; k += 32) {
                    if (first[k] < 0 || k == y) continue;
                    of_rival = 0.0;
                    for (int i = 0; i < 32; ++i) of_rival += terms[k * LANES + i];
                    classes[k * LANES + row] += of_rival;
                }
                __syncwarp();
            }
            if (rivals) {
                probability = added(probability);
                of_target = added(of_target);
            }
            if (lane == 0) errors += __double2ull_rn(fmax(1.0 - probability, 0.0) * value_scale);
            for (int k = lane; k < n_classes; k += 32) {
                double by_class = k == y ? of_target : classes[k * LANES + row];
                bool counts = of_own >= 0 && probability < 1.0 && rivals;
                ((long long*)classes)[k * LANES + row] = counts ? __double2ll_rn(-by_class * slope_scale) : 0ll;
            }
            __syncwarp();
        }
        const long long* slopes = (const long long*)classes;
        for (int row = 0; row < count; ++row) {
            const LABEL* own = labels + __shfl_sync(0xffffffffu, example, row) * width;
#pragma unroll
            for (int s = 0; s < SLOTS; ++s) {
                int j = 32 * s + lane;
                if (j < n_voters) by_voter[s] += slopes[own[j] * LANES + row];
            }
        }
        __syncwarp();
    }
#pragma unroll
    for (int s = 0; s < SLOTS; ++s)
        if (32 * s + lane < n_voters) atomicAdd(gradient + 32 * s + lane, (u64)by_voter[s]);
#pragma unroll
    for (int d = 16; d; d >>= 1) errors += __shfl_xor_sync(0xffffffffu, errors, d);
    if (lane == 0) atomicAdd(sum, errors);
}
