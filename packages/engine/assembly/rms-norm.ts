import { add } from "./elementwise";
import { blockRows, dot, laneSum } from "./vector";

/** out = x * invRms * weight, row by row. */
export function rmsNorm(x: usize, weight: usize, out: usize, invRms: usize, rows: i32, width: i32, epsilon: f32): void {
  for (let r = 0; r < rows; r++) {
    const from = x + ((r * width) << 2);
    const to = out + ((r * width) << 2);
    const inv: f32 = 1 / sqrt<f32>(dot(from, from, width) / <f32>width + epsilon);
    store<f32>(invRms + (r << 2), inv);
    const s = f32x4.splat(inv);
    let i = 0;
    for (; i + 4 <= width; i += 4)
      v128.store(to + (i << 2), f32x4.mul(f32x4.mul(v128.load(from + (i << 2)), s), v128.load(weight + (i << 2))));
    for (; i < width; i++) store<f32>(to + (i << 2), load<f32>(from + (i << 2)) * inv * load<f32>(weight + (i << 2)));
  }
}

/**
 * dX = inv * (g - xhat * mean(g * xhat)) with g = dOut * weight, xhat = x * inv; dWeight = column sums of dOut * xhat.
 * dWeight starts as zeros; `block` is scratch of `width` floats.
 */
export function rmsNormBackward(
  dOut: usize, x: usize, weight: usize, invRms: usize, dX: usize, dWeight: usize, rows: i32, width: i32, block: usize,
): void {
  for (let start = 0; start < rows; start += blockRows) {
    memory.fill(block, 0, width << 2);
    const count = min(blockRows, rows - start);
    const offset = (start * width) << 2;
    backwardRows(dOut + offset, x + offset, weight, invRms + (start << 2), dX + offset, block, count, width);
    add(dWeight, block, dWeight, width);
  }
}

function backwardRows(
  dOut: usize, x: usize, weight: usize, invRms: usize, dX: usize, dWeight: usize, rows: i32, width: i32,
): void {
  for (let r = 0; r < rows; r++) {
    const g = dOut + ((r * width) << 2);
    const from = x + ((r * width) << 2);
    const to = dX + ((r * width) << 2);
    const inv = load<f32>(invRms + (r << 2));
    const s = f32x4.splat(inv);
    let sum = f32x4.splat(0);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const gx = f32x4.mul(v128.load(g + (i << 2)), f32x4.mul(v128.load(from + (i << 2)), s));
      const dw = dWeight + (i << 2);
      v128.store(dw, f32x4.add(v128.load(dw), gx));
      sum = f32x4.add(sum, f32x4.mul(gx, v128.load(weight + (i << 2))));
    }
    let total = laneSum(sum);
    for (; i < width; i++) {
      const gx = load<f32>(g + (i << 2)) * load<f32>(from + (i << 2)) * inv;
      store<f32>(dWeight + (i << 2), load<f32>(dWeight + (i << 2)) + gx);
      total += gx * load<f32>(weight + (i << 2));
    }
    const mean: f32 = total / <f32>width;
    const m = f32x4.splat(mean);
    for (i = 0; i + 4 <= width; i += 4) {
      const xhat = f32x4.mul(v128.load(from + (i << 2)), s);
      const gw = f32x4.mul(v128.load(g + (i << 2)), v128.load(weight + (i << 2)));
      v128.store(to + (i << 2), f32x4.mul(s, f32x4.sub(gw, f32x4.mul(xhat, m))));
    }
    for (; i < width; i++)
      store<f32>(
        to + (i << 2),
        inv * (load<f32>(g + (i << 2)) * load<f32>(weight + (i << 2)) - load<f32>(from + (i << 2)) * inv * mean),
      );
  }
}
