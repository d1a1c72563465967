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
  float scale = inverseTemperature[row], lowest = __uint_as_float(0xff7fffffu);
  /* Each thread's own, in one reading of the logits; a larger one rescales what came before. */
  float own = lowest, sum = 0.0f, weighted = 0.0f;
  for (whole i = threadIdx.x; i < columns; i += blockDim.x) {
    float x = mine[i] * scale, below = x - own, share = expf(x > own ? -below : below);
    if (x > own) {
      weighted = share > 0.0f ? share * (weighted - below * sum) : 0.0f;
      sum = share * sum + 1.0f;
      own = x;
    } else {
      sum += share;
      weighted += share > 0.0f ? below * share : 0.0f;
    }
  }
  float most = over_block<true>(own, shared), apart = own - most, part = expf(apart);
  weighted = part > 0.0f ? part * (weighted + apart * sum) : 0.0f;
  sum = over_block<false>(part * sum, shared);
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

/* A block a row: sum = a + b, rounded; out = sum / sqrt(mean(sum^2) + epsilon) weight. */
template <int N>
__device__ void add_norm(bf16* sum, bf16* out, float* inverse, const bf16* a, const bf16* b, const bf16* weight, whole width,
                         double epsilon) {
  __shared__ float shared[32];
  whole first = (whole)blockIdx.x * width, step = (whole)blockDim.x * N;
  float squares = 0.0f;
  Pack<N> x, y;
  for (whole c = (whole)threadIdx.x * N; c < width; c += step) {
    x.load(a + first + c);
    y.load(b + first + c);
    for (int k = 0; k < N; k++) {
      x.at[k] = wide(narrow(x.at[k] + y.at[k]));
      squares += x.at[k] * x.at[k];
    }
    x.store(sum + first + c);
  }
  float scale = 1.0f / sqrtf(over_block<false>(squares, shared) / (float)width + (float)epsilon);
  for (whole c = (whole)threadIdx.x * N; c < width; c += step) {
    x.load(sum + first + c);
    y.load(weight + c);
    for (int k = 0; k < N; k++) x.at[k] *= scale * y.at[k];
    x.store(out + first + c);
  }
  if (threadIdx.x == 0) inverse[blockIdx.x] = scale;
}

/* With s = 1 / rms: dX = onto + s d w - x s^3 mean(d w x). Each block takes every so many rows, and leaves its part of the
   weight's gradient in parts [blocks, width]; onto and parts may be null. */
template <int N>
__device__ void norm_backward(bf16* dX, float* parts, const bf16* d, const bf16* x, const bf16* weight, const float* inverse,
                              const bf16* onto, whole rows, whole width) {
  __shared__ float shared[32];
  whole step = (whole)blockDim.x * N;
  float* mine = parts ? parts + (whole)blockIdx.x * width : 0;
  Pack<N> g, v, w, o;
  if (mine)
    for (whole c = (whole)threadIdx.x * N; c < width; c += step)
      for (int k = 0; k < N; k++) mine[c + k] = 0.0f;
  for (whole row = blockIdx.x; row < rows; row += gridDim.x) {
    whole first = row * width;
    float scale = inverse[row], along = 0.0f;
    for (whole c = (whole)threadIdx.x * N; c < width; c += step) {
      g.load(d + first + c);
      v.load(x + first + c);
      w.load(weight + c);
      for (int k = 0; k < N; k++) along += g.at[k] * w.at[k] * v.at[k];
    }
    along = over_block<false>(along, shared) * scale * scale * scale / (float)width;
    for (whole c = (whole)threadIdx.x * N; c < width; c += step) {
      g.load(d + first + c);
      v.load(x + first + c);
      w.load(weight + c);
      if (onto) o.load(onto + first + c);
      for (int k = 0; k < N; k++) {
        if (mine) mine[c + k] += g.at[k] * v.at[k] * scale;
        v.at[k] = scale * g.at[k] * w.at[k] - v.at[k] * along + (onto ? o.at[k] : 0.0f);
      }
      v.store(dX + first + c);
    }
  }
}

BOTH(add_norm,
     (bf16* sum, bf16* out, float* inverse, const bf16* a, const bf16* b, const bf16* weight, whole width, double epsilon),
     (sum, out, inverse, a, b, weight, width, epsilon))
BOTH(norm_backward,
     (bf16* dX, float* parts, const bf16* d, const bf16* x, const bf16* weight, const float* inverse, const bf16* onto,
      whole rows, whole width),
     (dX, parts, d, x, weight, inverse, onto, rows, width))

/* The rows of parts [count, width] added up in their order, a block for 32 columns; over what is in sum, or on top of it. */
extern "C" __global__ void sum_parts(float* sum, const float* parts, whole count, whole width, whole add) {
  __shared__ float shared[1024];
  whole lane = threadIdx.x & 31, group = threadIdx.x >> 5, groups = blockDim.x >> 5, c = (whole)blockIdx.x * 32 + lane;
  float total = 0.0f;
  if (c < width)
    for (whole i = group; i < count; i += groups) total += parts[i * width + c];
  shared[threadIdx.x] = total;
  __syncthreads();
  if (group > 0 || c >= width) return;
  for (whole i = 1; i < groups; i++) total += shared[i * 32 + lane];
  sum[c] = add ? sum[c] + total : total;
}

/* Attention to more keys joins what a row has: a block a row of more [count, heads, width], which is row rows[i] of out, or
   row first + i where rows is null. Sums are log-sum-exps, [heads, total] and [heads, count]. */
extern "C" __global__ void join_attention(bf16* out, float* sums, const bf16* more, const float* moreSums, const whole* rows,
                                          whole first, whole count, whole total, whole heads, whole width) {
  whole i = blockIdx.x, row = rows ? rows[i] : first + i, packs = width / 8;
  for (whole p = threadIdx.x; p < heads * packs; p += blockDim.x) {
    whole head = p / packs, column = (p - head * packs) * 8;
    float share = 1.0f / (1.0f + expf(sums[head * total + row] - moreSums[head * count + i]));
    Pack<8> a, b;
    a.load(out + (row * heads + head) * width + column);
    b.load(more + (i * heads + head) * width + column);
    for (int k = 0; k < 8; k++) a.at[k] += share * (b.at[k] - a.at[k]);
    a.store(out + (row * heads + head) * width + column);
  }
  __syncthreads();
  for (whole head = threadIdx.x; head < heads; head += blockDim.x) {
    float before = sums[head * total + row], after = moreSums[head * count + i], most = largest(before, after);
    sums[head * total + row] = most + logf(expf(before - most) + expf(after - most));
  }
}

/* Row rows[i] of into [., width], or row first + i where rows is null, gets row i of more on top; no row is named twice. */
extern "C" __global__ void add_rows(bf16* into, const bf16* more, const whole* rows, whole first, whole count, whole width) {
  whole packs = width / 8, i = (whole)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * packs) return;
  whole row = i / packs, column = (i - row * packs) * 8;
  bf16* to = into + (rows ? rows[row] : first + row) * width + column;
  Pack<8> a, b;
  a.load(to);
  b.load(more + row * width + column);
  for (int k = 0; k < 8; k++) a.at[k] += b.at[k];
  a.store(to);
}

/* dQ and dK turned back, and dV, side by side. */
template <int N>
__device__ void rotate_back_and_join(bf16* out, const bf16* q, const bf16* k, const bf16* v, const bf16* cosines,
                                     const bf16* sines, const int* positions, whole rows, whole queryHeads, whole kvHeads,
                                     whole half) {
  whole packs = half / N, heads = queryHeads + 2 * kvHeads, i = (whole)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * heads * packs) return;
  whole row = i / (heads * packs), rest = i - row * heads * packs, head = rest / packs, column = (rest - head * packs) * N;
  whole own = head < queryHeads ? head : head < queryHeads + kvHeads ? head - queryHeads : head - queryHeads - kvHeads;
  const bf16* from = head < queryHeads ? q + row * queryHeads * 2 * half
                                       : (head < queryHeads + kvHeads ? k : v) + row * kvHeads * 2 * half;
  from += own * 2 * half + column;
  bf16* to = out + (row * heads + head) * 2 * half + column;
  Pack<N> a, b, c, s;
  a.load(from);
  b.load(from + half);
  if (head < queryHeads + kvHeads) {
    whole angle = (whole)positions[row] * half + column;
    c.load(cosines + angle);
    s.load(sines + angle);
    for (int k2 = 0; k2 < N; k2++) {
      float first = a.at[k2] * c.at[k2] + b.at[k2] * s.at[k2];
      b.at[k2] = b.at[k2] * c.at[k2] - a.at[k2] * s.at[k2];
      a.at[k2] = first;
    }
  }
  a.store(to);
  b.store(to + half);
}
BOTH(rotate_back_and_join,
     (bf16* out, const bf16* q, const bf16* k, const bf16* v, const bf16* cosines, const bf16* sines, const int* positions,
      whole rows, whole queryHeads, whole kvHeads, whole half),
     (out, q, k, v, cosines, sines, positions, rows, queryHeads, kvHeads, half))
`;
