// Sum of a curve of the wrong weight over examples, with its gradient, in one read of the packed errors.
//
// An example has WORDS words: 2 for up to 64 voters, else 8. Bit b of word w is voter 32 w + b. MODE 0 does all of it.
// More than 256 voters are taken 256 at a time: MODE 1 adds up the wrong weights, and MODE 2 evaluates the curve at them
// and sends the slopes back to these voters.
//
// A warp takes 32 examples at a time, a tile. Their wrong weights are a product of bits by the tensor cores, every lane
// evaluates the curve for one example, and the slopes, as four base-256 digits, go back to the voters by the transposed
// product. All sums are sums of integers, so they are the same in whatever order they are made.
// The layout of the operands of mma.m16n8k256 (bits), mma.m16n8k32 (bytes) and ldmatrix is that of the PTX manual;
// lane = 4 g + t. Lane (g, t) evaluates the curve for example g + 8 t.

typedef unsigned int u32;
typedef unsigned long long u64;

#define ONES 0x01010101u
#define TOGETHER 2  // tiles whose steps alternate, so that one does not wait for the other
#define VOTERS (32 * WORDS)
#define TILE_BYTES (128 * WORDS)
#define UNIT_BYTES (TILES * TILE_BYTES)  // what is fetched at a time
#define PLANES (WORDS == 8 ? 4 : 2)
#define SUMS (2 * WORDS)                 // fragments of four sums
#define FLUSH 2048  // tiles after which 32-bit sums are emptied: 16 * 255 * 255 * FLUSH < 2^31

__device__ __forceinline__ void multiply(u32 (&sum)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void multiply(u32 (&sum)[4], u32 a0, u32 a1, u32 b) {
    asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a0), "r"(a1), "r"(b));
}

__device__ __forceinline__ void count_both(u32 (&sum)[4], const u32 (&a)[4], uint2 b) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y), "r"(0));
}

// The same for 128 bits, with each half of `b`.
__device__ __forceinline__ void count_both(u32 (&sum)[4], u32 a0, u32 a1, uint2 b) {
    asm("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a0), "r"(a1), "r"(b.x), "r"(0));
    asm("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a0), "r"(a1), "r"(b.y));
}

__device__ __forceinline__ void load_matrices(u32 (&to)[4], u32 from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

__device__ __forceinline__ void load_transposed(u32 (&to)[4], u32 from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

__device__ __forceinline__ uint4 load(u32 from) {
    uint4 to;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w) : "r"(from) : "memory");
    return to;
}

__device__ __forceinline__ u32 from_lane(u32 x, int differs) { return __shfl_xor_sync(0xffffffffu, x, differs); }

// The same number, which the compiler then keeps in a register instead of computing it again.
__device__ __forceinline__ u32 kept(u32 x) {
    asm volatile("" : "+r"(x));
    return x;
}

// Where 16 bytes of a tile are, as _gpu.py permutes them: words 4 c to 4 c + 3 of an example, or, of two words, word c of
// examples g, g + 8, g + 16 and g + 24.
__device__ __forceinline__ u32 place(u32 example, u32 c) {
    u32 g = example & 7, t = example >> 3;
    if (WORDS == 2) return 16 * (c << 3 | (g ^ c << 2));
    u32 bank = (g & 1) | ((g >> 1 ^ t) & 1) << 1 | (g >> 2 ^ t >> 1 ^ c) << 2;
    return 16 * (bank | t << 3 | c << 5);
}
#define OTHER_HALF 0x140u  // by which the place of example e + 16 differs from that of e, for eight words
#define OTHER_WORDS 0x240u // and that of the second four words from that of the first

// Of four lanes, in whose numbers the bits `high` and `low` differ, lane d gets the bytes d of all four.
__device__ __forceinline__ u32 transpose(u32 x, int high, int low, u32 halves, u32 bytes) {
    x = __byte_perm(x, from_lane(x, high), halves);
    return __byte_perm(x, from_lane(x, low), bytes);
}

struct Curve {
    const float4* pieces;  // (n_pieces, 2, copies): coefficients of the value and of its derivative by the total, scaled
    int last, copies;
    u32 rate;
    long long start;        // (rate * weight + start) / 2^(32 + shift) is the position on the curve, in pieces
    int shift;
    float steepness, base;  // slope = steepness * derivative of the value + base
};

__device__ __forceinline__ u32 evaluate(const Curve& curve, u32 weight, long long& value, long long& d_total) {
    long long x = (long long)((u64)weight * curve.rate) + curve.start;
    int piece = min(max((int)(x >> 32) >> curve.shift, 0), curve.last);
    float u = (float)__funnelshift_r((u32)x, (u32)(x >> 32), curve.shift);
    const float4* own = curve.pieces + piece * 2 * curve.copies;
    float4 v = own[0], e = own[curve.copies];
    value = __float2ll_rn(fmaf(u, fmaf(u, fmaf(u, v.w, v.z), v.y), v.x));
    d_total = __float2ll_rn(fmaf(u, fmaf(u, fmaf(u, e.w, e.z), e.y), e.x));
    float derivative = fmaf(2.0f * u, fmaf(1.5f * u, v.w, v.z), v.y);
    return __float2uint_rn(fmaf(derivative, curve.steepness, curve.base));
}

extern "C" __global__ __launch_bounds__(32 * WARPS, 1) void curve_pass(
    const u32* __restrict__ bits,       // filled up with zeros to whole units
    long long n_rows,
    const uint2* __restrict__ planes,   // (PLANES, 32): the weights' digits, as each lane has them
    const float4* __restrict__ pieces,  // (n_pieces, 2)
    int n_pieces,
    int copies,                         // of the pieces, each in banks of its own: a power of two
    u32 rate, long long start, int shift, float steepness, float base,
    u64* __restrict__ sums,             // value, d_total: signed
    u64* __restrict__ gradient,         // (VOTERS,)
    u32* __restrict__ weights_so_far,   // of each example, for MODE 1 and 2
    int is_first) {                     // of the voters: MODE 1 begins with it, MODE 2 adds up the sums
    extern __shared__ __align__(128) u32 memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
    float4* table = (float4*)memory;
    u64* voters = (u64*)(table + 2 * n_pieces * copies);  // (WARPS, VOTERS)
    u64* own_voters = voters + VOTERS * warp;
    const u32 units = (u32)__cvta_generic_to_shared(voters + VOTERS * WARPS) + UNIT_BYTES * STAGES * warp;

#if MODE != 1
    for (int i = threadIdx.x; i < 2 * n_pieces * copies; i += blockDim.x) table[i] = pieces[i / copies];
    for (int i = lane; i < VOTERS; i += 32) own_voters[i] = 0;
    __syncthreads();
    const Curve curve = {table + (lane & (copies - 1)), n_pieces - 1, copies, rate, start, shift, steepness, base};
#endif

    const u32 n_units = (u32)((n_rows + 32 * TILES - 1) / (32 * TILES)), step = gridDim.x * WARPS;
    const u32 first = blockIdx.x * WARPS + warp;
    uint2 weights[PLANES];
#pragma unroll
    for (int m = 0; m < PLANES; ++m) weights[m] = planes[32 * m + lane];
#if WORDS == 8
    const int matrix = lane >> 3, row = lane & 7;
    const u32 forward = kept(place(row + 8 * (matrix & 1), matrix >> 1));
    const u32 backward = kept(place(2 * matrix + (row & 1) + 8 * (row >> 1), 0));
    const int high = 8, low = 4;  // the lanes (0 to 3, t), and (4 to 7, t), exchange the digits of their slopes
    const u32 halves = kept(g & 2 ? 0x3276 : 0x5410), bytes = kept(g & 1 ? 0x3715 : 0x6240);
#else
    const u32 forward = kept(place(g, t & 1));
    const u32 near_at = kept(place(2 * t, g >> 2)), far_at = kept(place(2 * t + 1, g >> 2));
    const u32 byte = kept((g & 3) | ((g & 3) + 4) << 4);
    const int high = 2, low = 1;  // the lanes (g, 0 to 3) do
    const u32 halves = kept(t & 2 ? 0x3276 : 0x5410), bytes = kept(t & 1 ? 0x3715 : 0x6240);
    const int from = (int)kept(4 * (2 * t + (g >> 2)) + (g & 3));
    u32 powers = 0;  // of four for the digits of which lane (., t) has counts, if they belong to byte g of the weight
    for (int i = 0; i < 4; ++i) {
        int digit = 2 * t + (i & 1) + 8 * (i >> 1);
        if (digit >> 2 == (g & 3)) powers |= 1u << (2 * (digit & 3) + 8 * i);
    }
    const u32 early = kept(g < 4 ? powers : 0), late = kept(g < 4 ? 0 : powers);
    const u32 own_times = kept(t & 1 ? 65536 : 1), other_times = kept(t & 1 ? 1 : 65536);
#endif
    const u32 near_used = g < 4 ? 0xffffffffu : 0u;
    u32 sum[SUMS][4] = {};
    long long value = 0, d_total = 0;

    auto fetch = [&](u32 unit, int stage) {
        if (unit < n_units) {
            const u32* of = bits + UNIT_BYTES / 4 * (u64)unit + 4 * lane;
            const u32 to = units + UNIT_BYTES * stage + 16 * lane;
#pragma unroll
            for (int i = 0; i < UNIT_BYTES / 512; ++i)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 512 * i), "l"(of + 128 * i) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    // The wrong weight of example g + 8 t of the tile at this address.
    auto weigh = [&](u32 at) -> u32 {
#if WORDS == 8
        u32 part[4];  // of the weights of examples g, g + 8, g + 16, g + 24: digits 2 t and 2 t + 1 of every eight
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            u32 a[4], one = 0, two = 0;
            load_matrices(a, at + (half ? forward ^ OTHER_HALF : forward));
#pragma unroll
            for (int m = 3; m >= 0; --m) {
                u32 counts[4];
                count_both(counts, a, weights[m]);
                one = (one << 8) + counts[0] + 2 * counts[1];
                two = (two << 8) + counts[2] + 2 * counts[3];
            }
            part[2 * half] = one << (2 * t);
            part[2 * half + 1] = two << (2 * t);
        }
        u32 one = t & 2 ? part[2] : part[0], two = t & 2 ? part[3] : part[1];
        one += from_lane(t & 2 ? part[0] : part[2], 2);
        two += from_lane(t & 2 ? part[1] : part[3], 2);
        return (t & 1 ? two : one) + from_lane(t & 1 ? one : two, 1);
#else
        // The digits have values up to 3, and their sums over 64 voters fit into a byte: a second product adds them up.
        // Lanes with t < 2 get two bytes of the weights of examples g and g + 8, the others of g + 16 and g + 24.
        uint4 a = load(at + forward);
        u32 both[4] = {};
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            u32 a0 = half ? a.z : a.x, a1 = half ? a.w : a.y, lower[4], upper[4];
            count_both(lower, a0, a1, weights[0]);
            count_both(upper, a0, a1, weights[1]);
            multiply(both, lower[0] + 256 * lower[1] + 65536 * (upper[0] + 256 * upper[1]),
                     lower[2] + 256 * lower[3] + 65536 * (upper[2] + 256 * upper[3]), half ? late : early);
        }
        u32 one = both[0] + 256 * both[1], two = both[2] + 256 * both[3];
        return (t & 1 ? two : one) * own_times + from_lane(t & 1 ? one : two, 1) * other_times;
#endif
    };

    // The bits stay where they are in their bytes: the sums of bit j are 2^j times what they stand for. Those of bit 7 are
    // the sums of all bits, from which the others are subtracted at last. Columns 0 to 3 are the digits of the slopes of
    // one half of the examples, and columns 4 to 7 those of the other half.
    auto send_back = [&](u32 at, u32 digits) {
        const u32 b0 = digits & near_used, b1 = digits & ~near_used;
#if WORDS == 8
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            u32 r[4];
            load_transposed(r, at + (c ? backward ^ OTHER_WORDS : backward));
            u32 a0 = __byte_perm(r[0], r[1], 0x6420), a1 = __byte_perm(r[0], r[1], 0x7531);
            u32 a2 = __byte_perm(r[2], r[3], 0x6420), a3 = __byte_perm(r[2], r[3], 0x7531);
#pragma unroll
            for (int j = 0; j < 7; ++j)
                multiply(sum[2 * j + c], a0 & (ONES << j), a1 & (ONES << j), a2 & (ONES << j), a3 & (ONES << j), b0, b1);
            multiply(sum[14 + c], a0, a1, a2, a3, b0, b1);
        }
#else
        uint4 r = load(at + near_at), s = load(at + far_at);
        u32 a0 = __byte_perm(__byte_perm(r.x, r.y, byte), __byte_perm(r.z, r.w, byte), 0x5410);
        u32 a2 = __byte_perm(__byte_perm(s.x, s.y, byte), __byte_perm(s.z, s.w, byte), 0x5410);
#pragma unroll
        for (int j = 0; j < 3; ++j)
            multiply(sum[j], a0 & (ONES << j), a0 & (ONES << (j + 4)), a2 & (ONES << j), a2 & (ONES << (j + 4)), b0, b1);
        multiply(sum[3], a0 & (ONES << 3), a0, a2 & (ONES << 3), a2, b0, b1);
#endif
    };

    // Lane (g, t) has sums of two digits, 2 (t & 1) and the next.
    auto flush = [&]() {
#if WORDS == 8
#pragma unroll
        for (int c = 0; c < 2; ++c)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 7; ++j) sum[14 + c][i] -= sum[2 * j + c][i];
#else
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) sum[3][2 + i] -= sum[j][i];
#pragma unroll
            for (int j = 0; j < 3; ++j) sum[3][2 + i] -= sum[j][2 + i];
        }
#endif
#pragma unroll
        for (int k = 0; k < SUMS; ++k)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                int bit = WORDS == 8 ? k / 2 : k + 4 * i;
                int voter = WORDS == 8 ? 128 * (k % 2) + 16 * g + 8 * i + bit : 8 * g + bit;
                u64 all = (((u64)sum[k][2 * i] + ((u64)sum[k][2 * i + 1] << 8)) >> bit) << (16 * (t & 1));
                all += __shfl_xor_sync(0xffffffffu, all, 1);
                all += __shfl_xor_sync(0xffffffffu, all, 2);
                if (t == 0) own_voters[voter] += all;
                sum[k][2 * i] = sum[k][2 * i + 1] = 0;
            }
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) fetch(first + s * step, s);
    int stage = 0, done = 0;
    for (u32 unit = first; unit < n_units; unit += step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncwarp();
        const u32 here = units + UNIT_BYTES * stage;
        fetch(unit + (STAGES - 1) * step, stage ? stage - 1 : STAGES - 1);
        if (++stage == STAGES) stage = 0;
#pragma unroll
        for (int tile = 0; tile < TILES; tile += TOGETHER) {
            u32 weight[TOGETHER];
#if MODE != 0
            u32* totals = weights_so_far + 32 * (TILES * (u64)unit + tile) + g + 8 * t;
#endif
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
#if MODE == 2
                weight[i] = totals[32 * i];
#else
                weight[i] = weigh(here + TILE_BYTES * (tile + i));
#endif
            }
#if MODE == 1
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) totals[32 * i] = is_first ? weight[i] : totals[32 * i] + weight[i];
#else
            u32 digits[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                long long own_value, own_total;
                digits[i] = evaluate(curve, weight[i], own_value, own_total);
                value += own_value;
                d_total += own_total;
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                digits[i] = transpose(digits[i], high, low, halves, bytes);
#if WORDS == 2
                digits[i] = __shfl_sync(0xffffffffu, digits[i], from);
#endif
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) send_back(here + TILE_BYTES * (tile + i), digits[i]);
#endif
        }
#if MODE != 1
        done += TILES;
        if (done >= FLUSH || unit + step >= n_units) {
            done = 0;
            flush();
        }
#endif
    }
#if MODE != 1
    if (blockIdx.x == 0 && threadIdx.x == 0) {  // what the examples count that fill up the last unit
        long long own_value, own_total, none = 32ll * TILES * n_units - n_rows;
        evaluate(curve, 0, own_value, own_total);
        value -= none * own_value;
        d_total -= none * own_total;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        value += __shfl_xor_sync(0xffffffffu, value, d);
        d_total += __shfl_xor_sync(0xffffffffu, d_total, d);
    }
    if (lane == 0 && is_first) {
        atomicAdd(sums, (u64)value);
        atomicAdd(sums + 1, (u64)d_total);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < VOTERS; i += blockDim.x) {
        u64 all = 0;
        for (int w = 0; w < WARPS; ++w) all += voters[VOTERS * w + i];
        atomicAdd(gradient + i, all);
    }
#endif
}
