import { exp1, exp4, laneSum, log } from "./vector";

/** Per row of logits [rows, vocabulary]: log-prob of the target, entropy and log sum exp of logits * inverseTemperature. */
export function headLogProbs(
  logits: usize, targets: usize, inverseTemperature: usize, logProbs: usize, entropy: usize, logSumExp: usize,
  rows: i32, vocabulary: i32,
): void {
  for (let r = 0; r < rows; r++) {
    const row = logits + ((r * vocabulary) << 2);
    const beta = load<f32>(inverseTemperature + (r << 2));
    let top: f32 = -f32.MAX_VALUE;
    for (let i = 0; i < vocabulary; i++) top = max(top, load<f32>(row + (i << 2)));
    top *= beta;
    const b = f32x4.splat(beta);
    const t = f32x4.splat(top);
    // sum exp(z - top) and sum (z - top) exp(z - top); blocks keep float32 error small for large vocabularies.
    let total: f64 = 0;
    let weighted: f64 = 0;
    let i = 0;
    while (i + 4 <= vocabulary) {
      let sum = f32x4.splat(0);
      let moment = f32x4.splat(0);
      const end = min(i + 1024, vocabulary);
      for (; i + 4 <= end; i += 4) {
        const z = f32x4.sub(f32x4.mul(v128.load(row + (i << 2)), b), t);
        const e = exp4(z);
        sum = f32x4.add(sum, e);
        moment = f32x4.add(moment, f32x4.mul(e, z));
      }
      total += laneSum(sum);
      weighted += laneSum(moment);
    }
    for (; i < vocabulary; i++) {
      const z = load<f32>(row + (i << 2)) * beta - top;
      const e = exp1(z);
      total += e;
      weighted += e * z;
    }
    const logTotal = log(total);
    const target = load<f32>(row + (load<i32>(targets + (r << 2)) << 2)) * beta;
    store<f32>(logProbs + (r << 2), <f32>(<f64>target - top - logTotal));
    store<f32>(entropy + (r << 2), <f32>(logTotal - weighted / total));
    store<f32>(logSumExp + (r << 2), <f32>(<f64>top + logTotal));
  }
}

/** Turns logits in place into d loss / d logits = g * beta * (onehot - softmax). */
export function headLogProbsBackward(
  logits: usize, targets: usize, inverseTemperature: usize, logSumExp: usize, dLogProbs: usize, rows: i32, vocabulary: i32,
): void {
  for (let r = 0; r < rows; r++) {
    const row = logits + ((r * vocabulary) << 2);
    const beta = load<f32>(inverseTemperature + (r << 2));
    const lse = load<f32>(logSumExp + (r << 2));
    const g = load<f32>(dLogProbs + (r << 2)) * beta;
    const b = f32x4.splat(beta);
    const l = f32x4.splat(lse);
    const negative = f32x4.splat(-g);
    let i = 0;
    for (; i + 4 <= vocabulary; i += 4) {
      const z = f32x4.sub(f32x4.mul(v128.load(row + (i << 2)), b), l);
      v128.store(row + (i << 2), f32x4.mul(negative, exp4(z)));
    }
    for (; i < vocabulary; i++) store<f32>(row + (i << 2), -g * exp1(load<f32>(row + (i << 2)) * beta - lse));
    const at = row + (load<i32>(targets + (r << 2)) << 2);
    store<f32>(at, load<f32>(at) + g);
  }
}
