// Sum of a curve of the wrong weight over examples, with its gradient, in one read of the packed errors.
//
// Compiled three times. MODE 0 does all of it for up to 256 voters. More voters are taken 256 at a time: MODE 1 adds up
// the wrong weights, and MODE 2 evaluates the curve at them and sends the slopes back to these voters.
//
// An example has 256 bits, eight words; bit 8 b + j of word w is voter 32 w + 8 b + j. A warp takes 32 examples at a
// time. Their wrong weights are a product of bits by the tensor cores (the weights as 32 binary digits), every lane
// evaluates the curve for one example, and the slopes, as four base-256 digits, go back to the voters by the transposed
// product. All sums are sums of integers, so they are the same in whatever order they are made.
// The layout of the operands of mma.m16n8k256 (bits) and mma.m16n8k32 (bytes) is that of the PTX manual; lane = 4 g + t.

typedef unsigned int u32;
typedef unsigned long long u64;

#define ONES 0x01010101u
#define TILE_WORDS 320           // 32 examples of 8 words, 8 words of padding after every fourth
#define FLUSH 2048               // tiles after which 32-bit sums are emptied: 255 * 128 * 32 * FLUSH < 2^31

__device__ __forceinline__ void multiply(int (&sum)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void count_both(int (&sum)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
                 : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(0));
}

__device__ __forceinline__ int place(int row) { return 8 * row + 8 * (row >> 2); }

__device__ __forceinline__ void fetch(u32* tile, const u32* rows, int lane) {
    u32 to = (u32)__cvta_generic_to_shared(tile + place(lane));
    const u32* from = rows + 8 * lane;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 16), "l"(from + 4));
}

// The bytes of four words, so that word b of the result has their bytes b.
__device__ __forceinline__ void transpose(u32 (&word)[4]) {
    u32 p = __byte_perm(word[0], word[1], 0x5140), q = __byte_perm(word[2], word[3], 0x5140);
    u32 r = __byte_perm(word[0], word[1], 0x7362), s = __byte_perm(word[2], word[3], 0x7362);
    word[0] = __byte_perm(p, q, 0x5410);
    word[1] = __byte_perm(p, q, 0x7632);
    word[2] = __byte_perm(r, s, 0x5410);
    word[3] = __byte_perm(r, s, 0x7632);
}

extern "C" __global__ __launch_bounds__(32 * WARPS, 1) void curve_pass(
    const u32* __restrict__ bits,        // 8 words an example, filled up with zeros to a multiple of 32 examples
    long long n_rows,
    const uint2* __restrict__ planes,    // (4, 32): the weights' digits, eight at a time, as each lane has them
    const float4* __restrict__ pieces,   // (n_pieces, 3): coefficients of value (4), slope (3) and d_total (4), scaled
    int n_pieces,
    double scale, double shift,          // piece = scale * weight + shift
    float outside,                       // the slope where there is no piece
    u64* __restrict__ sums,              // value, d_total: signed
    u64* __restrict__ gradient,          // (256,)
    u32* __restrict__ weights_so_far,    // of each example, for MODE 1 and 2
    int is_first) {                      // of the voters: MODE 1 begins with it, MODE 2 adds up the sums
    extern __shared__ __align__(16) u32 memory[];
    float4* table = (float4*)memory;
    u64* voters = (u64*)(table + 3 * n_pieces);
    u32* slopes = (u32*)(voters + 256) + 32 * (threadIdx.x >> 5);
    u32* tiles = (u32*)(voters + 256) + 32 * WARPS + STAGES * TILE_WORDS * (threadIdx.x >> 5);

    for (int i = threadIdx.x; i < 3 * n_pieces; i += blockDim.x) table[i] = pieces[i];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) voters[i] = 0;
    __syncthreads();

    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const u32 n_tiles = (u32)((n_rows + 31) / 32), step = gridDim.x * WARPS;
    const u32 first = blockIdx.x * WARPS + (threadIdx.x >> 5);
    const int forward = 8 * g + 8 * (g >> 2) + t;   // words 0 to 3 of example g; 80 words on is example g + 8
    const int backward = 40 * t + g;                // word g of example 4 t; 160 words on is example 4 t + 16
    uint2 weights[4];
#pragma unroll
    for (int m = 0; m < 4; ++m) weights[m] = planes[32 * m + lane];
    const u32 digit = (g & 3) | ((g & 3) + 4) << 4;
    const u32 used = g < 4 ? 0xffffffffu : 0u;
    int back[8][2][4] = {};
    long long value = 0, d_total = 0;

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        u32 ahead = first + s * step;
        if (ahead < n_tiles) fetch(tiles + s * TILE_WORDS, bits + 256ull * ahead, lane);
        asm volatile("cp.async.commit_group;");
    }
    int stage = 0, done = 0;
    for (u32 tile = first; tile < n_tiles; tile += step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncwarp();
        const u32* rows = tiles + stage * TILE_WORDS;
        {
            u32 ahead = tile + (STAGES - 1) * step;
            int into = stage + STAGES - 1;
            if (into >= STAGES) into -= STAGES;
            if (ahead < n_tiles) fetch(tiles + into * TILE_WORDS, bits + 256ull * ahead, lane);
            asm volatile("cp.async.commit_group;");
        }
        if (++stage == STAGES) stage = 0;

#if MODE == 2
        u32 weight = weights_so_far[32ull * tile + g + 8 * t];
#else
        u32 part[4];  // of the weights of examples g, g + 8, g + 16, g + 24: digits 2 t and 2 t + 1 of every eight
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const u32* own = rows + forward + 160 * half;
            u32 a0 = own[0], a1 = own[80], a2 = own[4], a3 = own[84];
            u32 first_ = 0, second = 0;
#pragma unroll
            for (int m = 3; m >= 0; --m) {
                int counts[4];
                count_both(counts, a0, a1, a2, a3, weights[m].x, weights[m].y);
                first_ = (first_ << 8) + counts[0] + 2 * counts[1];
                second = (second << 8) + counts[2] + 2 * counts[3];
            }
            part[2 * half] = first_ << (2 * t);
            part[2 * half + 1] = second << (2 * t);
        }
        // lane (g, t) goes on with example g + 8 t
        u32 one = t & 2 ? part[2] : part[0], two = t & 2 ? part[3] : part[1];
        one += __shfl_xor_sync(0xffffffffu, t & 2 ? part[0] : part[2], 2);
        two += __shfl_xor_sync(0xffffffffu, t & 2 ? part[1] : part[3], 2);
        u32 weight = (t & 1 ? two : one) + __shfl_xor_sync(0xffffffffu, t & 1 ? one : two, 1);
#endif
#if MODE == 1
        u32* total = weights_so_far + 32ull * tile + g + 8 * t;
        *total = is_first ? weight : *total + weight;
#else
        double x = fma((double)weight, scale, shift);
        int piece = min(max((int)x, 0), n_pieces - 1);
        float u = fminf(fmaxf((float)(x - piece), 0.0f), 1.0f);
        float4 v = table[3 * piece], c = table[3 * piece + 1], e = table[3 * piece + 2];
        long long own_value = __float2ll_rn(v.x + u * (v.y + u * (v.z + u * v.w)));
        long long own_total = __float2ll_rn(c.w + u * (e.x + u * (e.y + u * e.z)));
        float slope = (x > -1e-6 && x < n_pieces + 1e-6) ? c.x + u * (c.y + u * c.z) : outside;
        bool real = 32ull * tile + g + 8 * t < n_rows;
        value += real && is_first ? own_value : 0;
        d_total += real && is_first ? own_total : 0;
        slopes[g + 8 * t] = __float2uint_rn(slope);
        __syncwarp();

        uint4 s = *(const uint4*)(slopes + 4 * t);
        u32 b0 = __byte_perm(__byte_perm(s.x, s.y, digit), __byte_perm(s.z, s.w, digit), 0x5410) & used;
        s = *(const uint4*)(slopes + 16 + 4 * t);
        u32 b1 = __byte_perm(__byte_perm(s.x, s.y, digit), __byte_perm(s.z, s.w, digit), 0x5410) & used;
        u32 near_[4], far_[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            near_[i] = rows[backward + 8 * i];
            far_[i] = rows[backward + 160 + 8 * i];
        }
        transpose(near_);
        transpose(far_);
        // the bits stay where they are in their bytes: sums of step j are 2^j times what they stand for
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int p = 0; p < 2; ++p)
                multiply(back[j][p], near_[2 * p] & (ONES << j), near_[2 * p + 1] & (ONES << j), far_[2 * p] & (ONES << j),
                         far_[2 * p + 1] & (ONES << j), b0, b1);
        __syncwarp();

        if (++done == FLUSH || tile + step >= n_tiles) {
            done = 0;
            if (t < 2) {
#pragma unroll
                for (int j = 0; j < 8; ++j)
#pragma unroll
                    for (int p = 0; p < 2; ++p) {
                        int voter = 32 * g + 16 * p + j;
                        const int* sum = back[j][p];
                        atomicAdd(voters + voter, (((u64)(u32)sum[0] + ((u64)(u32)sum[1] << 8)) >> j) << (16 * t));
                        atomicAdd(voters + voter + 8, (((u64)(u32)sum[2] + ((u64)(u32)sum[3] << 8)) >> j) << (16 * t));
                    }
            }
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int p = 0; p < 2; ++p)
#pragma unroll
                    for (int i = 0; i < 4; ++i) back[j][p][i] = 0;
        }
#endif
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        value += __shfl_xor_sync(0xffffffffu, value, d);
        d_total += __shfl_xor_sync(0xffffffffu, d_total, d);
    }
    if (lane == 0) {
        atomicAdd(sums, (u64)value);
        atomicAdd(sums + 1, (u64)d_total);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(gradient + i, voters[i]);
}
