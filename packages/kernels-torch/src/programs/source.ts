/**
 * CUDA C++ of what PyTorch has no single kernel for, compiled on the user's machine by NVRTC. No headers: bfloat16 is read
 * and rounded by hand (to the nearest, ties to even). Whole numbers arrive as `long long`, others as `double`.
 * `*_1` works on single elements, `*_8` on 16 bytes at a time and wants rows and columns that are multiples of 8.
 */
export const source: string = String.raw`
typedef unsigned short bf16;
typedef long long whole;

__device__ __forceinline__ float wide(bf16 x) { return __uint_as_float((unsigned)x << 16); }
__device__ __forceinline__ bf16 narrow(float x) {
  unsigned bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (bf16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/* N elements in a row, moved as one word. */
template <int N> struct Pack;
template <> struct Pack<1> {
  float at[1];
  __device__ void load(const bf16* p) { at[0] = wide(*p); }
  __device__ void store(bf16* p) const { *p = narrow(at[0]); }
};
template <> struct Pack<8> {
  float at[8];
  __device__ void load(const bf16* p) {
    uint4 words = *(const uint4*)p;
    unsigned parts[4] = {words.x, words.y, words.z, words.w};
    for (int i = 0; i < 4; i++) {
      at[2 * i] = __uint_as_float(parts[i] << 16);
      at[2 * i + 1] = __uint_as_float(parts[i] & 0xffff0000u);
    }
  }
  __device__ void store(bf16* p) const {
    unsigned parts[4];
    for (int i = 0; i < 4; i++) parts[i] = (unsigned)narrow(at[2 * i]) | ((unsigned)narrow(at[2 * i + 1]) << 16);
    *(uint4*)p = make_uint4(parts[0], parts[1], parts[2], parts[3]);
  }
};

template <int N>
__device__ void swiglu(bf16* out, const bf16* gate, whole gateStride, const bf16* up, whole upStride, whole rows, whole width) {
  whole packs = width / N, i = (whole)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * packs) return;
  whole row = i / packs, column = (i - row * packs) * N;
  Pack<N> g, u;
  g.load(gate + row * gateStride + column);
  u.load(up + row * upStride + column);
  for (int k = 0; k < N; k++) g.at[k] = g.at[k] / (1.0f + expf(-g.at[k])) * u.at[k];
  g.store(out + row * width + column);
}

/* dGate and dUp beside each other in out [rows, 2 width]. */
template <int N>
__device__ void swiglu_backward(bf16* out, const bf16* dOut, whole dStride, const bf16* gate, whole gateStride,
                                const bf16* up, whole upStride, whole rows, whole width) {
  whole packs = width / N, i = (whole)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * packs) return;
  whole row = i / packs, column = (i - row * packs) * N;
  Pack<N> d, g, u;
  d.load(dOut + row * dStride + column);
  g.load(gate + row * gateStride + column);
  u.load(up + row * upStride + column);
  for (int k = 0; k < N; k++) {
    float share = 1.0f / (1.0f + expf(-g.at[k])), silu = g.at[k] * share;
    float slope = share * (1.0f + g.at[k] * (1.0f - share));
    float toGate = d.at[k] * u.at[k] * slope;
    u.at[k] = d.at[k] * silu;
    g.at[k] = toGate;
  }
  g.store(out + row * 2 * width + column);
  u.store(out + row * 2 * width + width + column);
}

/* The halves of each head turned by the angles of its position; sign -1 turns back. */
template <int N>
__device__ void rotary(bf16* out, const bf16* x, whole stride, const bf16* cosines, const bf16* sines,
                       const int* positions, whole rows, whole heads, whole half, double sign) {
  whole packs = half / N, i = (whole)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * heads * packs) return;
  whole row = i / (heads * packs), rest = i - row * heads * packs, head = rest / packs, column = (rest - head * packs) * N;
  whole angle = (whole)positions[row] * half + column, from = row * stride + head * 2 * half + column;
  whole to = (row * heads + head) * 2 * half + column;
  Pack<N> a, b, c, s;
  a.load(x + from);
  b.load(x + from + half);
  c.load(cosines + angle);
  s.load(sines + angle);
  for (int k = 0; k < N; k++) {
    float turned = s.at[k] * (float)sign, first = a.at[k] * c.at[k] - b.at[k] * turned;
    b.at[k] = b.at[k] * c.at[k] + a.at[k] * turned;
    a.at[k] = first;
  }
  a.store(out + to);
  b.store(out + to + half);
}

#define BOTH(NAME, PARAMETERS, ARGUMENTS)                                  \
  extern "C" __global__ void NAME##_1 PARAMETERS { NAME<1> ARGUMENTS; }    \
  extern "C" __global__ void NAME##_8 PARAMETERS { NAME<8> ARGUMENTS; }

BOTH(swiglu,
     (bf16* out, const bf16* gate, whole gateStride, const bf16* up, whole upStride, whole rows, whole width),
     (out, gate, gateStride, up, upStride, rows, width))
BOTH(swiglu_backward,
     (bf16* out, const bf16* dOut, whole dStride, const bf16* gate, whole gateStride, const bf16* up, whole upStride,
      whole rows, whole width),
     (out, dOut, dStride, gate, gateStride, up, upStride, rows, width))
BOTH(rotary,
     (bf16* out, const bf16* x, whole stride, const bf16* cosines, const bf16* sines, const int* positions, whole rows,
      whole heads, whole half, double sign),
     (out, x, stride, cosines, sines, positions, rows, heads, half, sign))

__device__ float largest(float a, float b) { return a > b || a != a ? a : b; }

/* Of all threads of a block, up to 1,024 of them. */
template <bool MAXIMUM> __device__ float over_block(float value, float* shared) {
  for (int step = 16; step > 0; step >>= 1) {
    float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = MAXIMUM ? largest(value, other) : value + other;
  }
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = lane < warps ? shared[lane] : MAXIMUM ? __uint_as_float(0xff800000u) : 0.0f;
  for (int step = 16; step > 0; step >>= 1) {
    float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = MAXIMUM ? largest(value, other) : value + other;
  }
  return value;
}

/* A block a row. The row's state, [largest x, sum of exp(x - largest), sum of (x - largest) exp(x - largest), the target's x],
   of the columns before goes together with these columns'; x is a logit over the temperature. The last columns give
   log-prob, entropy and log-sum-exp. */
extern "C" __global__ void head_statistics(float4* states, const float* logits, const float* inverseTemperature,
                                           const int* targets, whole start, whole columns, whole last, float* logProbs,
                                           float* entropies, float* logSumExps) {
  __shared__ float shared[32];
  whole row = blockIdx.x;
  const float* mine = logits + row * columns;
  float scale = inverseTemperature[row], most = __uint_as_float(0xff800000u);
  for (whole i = threadIdx.x; i < columns; i += blockDim.x) most = largest(most, mine[i] * scale);
  most = over_block<true>(most, shared);
  float sum = 0.0f, weighted = 0.0f;
  for (whole i = threadIdx.x; i < columns; i += blockDim.x) {
    float below = mine[i] * scale - most, share = expf(below);
    sum += share;
    weighted += share > 0.0f ? below * share : 0.0f;
  }
  sum = over_block<false>(sum, shared);
  weighted = over_block<false>(weighted, shared);
  if (threadIdx.x != 0) return;
  whole target = targets[row] - start;
  float chosen = target >= 0 && target < columns ? mine[target] * scale : 0.0f;
  if (start > 0) {
    float4 before = states[row];
    float top = largest(before.x, most), old = before.x - top, now = most - top;
    float oldShare = expf(old), nowShare = expf(now);
    weighted = oldShare * (before.z + (oldShare > 0.0f ? old * before.y : 0.0f)) +
               nowShare * (weighted + (nowShare > 0.0f ? now * sum : 0.0f));
    sum = oldShare * before.y + nowShare * sum;
    most = top;
    chosen += before.w;
  }
  if (!last) {
    states[row] = make_float4(most, sum, weighted, chosen);
    return;
  }
  float above = logf(sum);
  logProbs[row] = chosen - most - above;
  entropies[row] = above - weighted / sum;
  logSumExps[row] = most + above;
}

/* d loss / d logits = dLogProb / temperature (1 at the target - share). */
extern "C" __global__ void head_gradient(bf16* out, const float* logits, const float* inverseTemperature,
                                         const float* logSumExps, const float* dLogProbs, const int* targets,
                                         whole start, whole columns) {
  whole row = blockIdx.x, target = targets[row] - start;
  float scale = inverseTemperature[row], factor = dLogProbs[row] * scale, total = logSumExps[row];
  const float* from = logits + row * columns;
  bf16* to = out + row * columns;
  for (whole i = threadIdx.x; i < columns; i += blockDim.x)
    to[i] = narrow((i == target ? factor : 0.0f) - factor * expf(from[i] * scale - total));
}

extern "C" __global__ void add_into(float* sum, const float* more, whole count) {
  for (whole i = (whole)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (whole)gridDim.x * blockDim.x)
    sum[i] += more[i];
}
`;
