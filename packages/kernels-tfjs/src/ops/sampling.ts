import type { SamplingName } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import { matrixSize, isOnDevice, packSampling } from "@laconic/engine/kernels";
import type { KernelFamily, SamplingKind, SamplingOnDevice, SamplingRows } from "@laconic/engine/kernels";
import { fill, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import * as tf from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";
import { picked } from "./rows.ts";

/** Draws one token per row by inverting the cumulative distribution. */
export function samplingKernels(device: OpsDevice): KernelFamily<"sampling"> {
  const { store } = device;
  return {
    sampleTokens(logits, settings) {
      const [rows, vocabulary] = matrixSize(logits);
      const [tokens, logProbs] = tf.tidy<[TfTensor, TfTensor]>(() => {
        if (rows === 0) return [tf.tensor1d([], "int32"), tf.tensor1d([])];
        const inputs = inputsOf(device, settings);
        const scaled = scaleRows(device.data(logits), inputs);
        const chosen = chooseTokens(scaled, inputs, vocabulary);
        return [chosen, picked(tf.logSoftmax(scaled), chosen)];
      });
      return { tokens: store.adoptInts(tokens, [0, vocabulary - 1]), logProbs: store.adoptFloats(logProbs) };
    },
    tokenLogProbs(logits, tokens, count) {
      const [rows, vocabulary] = matrixSize(logits);
      const [logProbs, topTokens, topLogProbs] = tf.tidy<[TfTensor, TfTensor, TfTensor]>(() => {
        const none = rows * count === 0;
        const normalised = rows === 0 ? null : tf.logSoftmax(device.data(logits));
        const top = none || normalised === null ? null : tf.topk(normalised, count, true);
        return [
          normalised ? picked(normalised, device.data(tokens)) : tf.tensor1d([]),
          top ? tf.cast(top.indices, "int32") : tf.tensor2d([], [rows, count], "int32"),
          top ? top.values : tf.tensor2d([], [rows, count]),
        ];
      });
      return {
        logProbs: store.adoptFloats(logProbs),
        topTokens: store.adoptInts(topTokens, [0, vocabulary - 1]),
        topLogProbs: store.adoptFloats(topLogProbs),
      };
    },
  };
}

interface Inputs {
  readonly kind: SamplingKind;
  readonly setting: (name: SamplingName) => TfTensor;
  readonly uniform: TfTensor;
}

function inputsOf(device: OpsDevice, sampling: SamplingRows | SamplingOnDevice): Inputs {
  const packed = isOnDevice(sampling) ? null : packSampling(sampling);
  const { kind } = isOnDevice(sampling) ? sampling : packed!;
  const settings = isOnDevice(sampling)
    ? device.data(sampling.settings)
    : tf.tensor2d(packed?.settings ?? [], [sampling.uniform.length, kernelSampling.length]);
  const rows = settings.shape[0];
  const uniform = isOnDevice(sampling)
    ? tf.slice(device.data(sampling.uniforms), [0, sampling.column], [rows, 1])
    : tf.tensor2d(sampling.uniform, [rows, 1]);
  return { kind, setting: (name) => tf.slice(settings, [0, kernelSampling.indexOf(name)], [rows, 1]), uniform };
}

function scaleRows(logits: TfTensor, { kind, setting }: Inputs): TfTensor {
  if (!kind.tempered) return logits;
  const temperature = setting("temperature");
  return tf.mul(
    logits,
    tf.where(tf.greater(temperature, 0), tf.div(tf.scalar(1), temperature), tf.onesLike(temperature)),
  );
}

function chooseTokens(scaled: TfTensor, inputs: Inputs, vocabulary: number): TfTensor {
  const { kind, setting, uniform } = inputs;
  const greedy = () => tf.cast(tf.argMax(scaled, 1), "int32");
  if (kind.greedy === "all") return greedy();
  const shares = tf.softmax(scaled);
  const drawn = invert(kind.cuts.length > 0 ? truncated(shares, inputs, vocabulary) : shares, uniform);
  if (kind.greedy === "none") return drawn;
  return tf.where(tf.reshape(tf.lessEqual(setting("temperature"), 0), [-1]), greedy(), drawn);
}

/** Tokens per block: short sums stay exact in float32. */
const blockWidth = 256;

/** First token whose running sum exceeds the uniform number and that has mass. int32 [B]. */
function invert(shares: TfTensor, uniform: TfTensor): TfTensor {
  const [rows, vocabulary] = shares.shape as [number, number];
  const blocks = Math.ceil(vocabulary / blockWidth);
  const filled = tf.pad(shares, [
    [0, 0],
    [0, blocks * blockWidth - vocabulary],
  ]);
  const split = tf.reshape(filled, [rows, blocks, blockWidth]);
  const masses = tf.sum(split, 2);
  const ends = tf.cumsum(masses, 1);
  const target = tf.mul(tf.slice(ends, [0, blocks - 1], [rows, 1]), uniform);
  const block = passes(masses, ends, target);
  const inBlock = tf.gather(
    tf.reshape(split, [rows * blocks, blockWidth]),
    tf.add(tf.mul(tf.range(0, rows, 1, "int32"), tf.scalar(blocks, "int32")), block),
  );
  const before = tf.sub(picked(ends, block), picked(masses, block));
  const rest = tf.maximum(tf.sub(tf.reshape(target, [rows]), before), 0);
  const token = passes(inBlock, tf.cumsum(inBlock, 1), tf.expandDims(rest, 1));
  return tf.add(tf.mul(block, tf.scalar(blockWidth, "int32")), token);
}

/** First position whose running sum exceeds the target, at most the last with mass. int32 [B]. */
function passes(masses: TfTensor, sums: TfTensor, target: TfTensor): TfTensor {
  const width = masses.shape[1]!;
  const before = tf.sum(tf.cast(tf.lessEqual(sums, target), "int32"), 1);
  const last = tf.max(tf.mul(tf.cast(tf.greater(masses, 0), "int32"), tf.range(0, width, 1, "int32")), 1);
  return tf.cast(tf.minimum(before, last), "int32");
}

/** Shares after top-k, then top-p of the rest, then min-p. */
function truncated(shares: TfTensor, { setting }: Inputs, vocabulary: number): TfTensor {
  const [topK, topP, minP] = [setting("topK"), setting("topP"), setting("minP")];
  const rows = topK.shape[0];
  const sorted = tf.topk(shares, vocabulary, true).values;
  const all = fill([rows, 1], vocabulary);
  const lastKept = tf.sub(tf.where(tf.greater(topK, 0), tf.minimum(topK, all), all), tf.scalar(1));
  const smallestOfK = tf.expandDims(picked(sorted, tf.cast(tf.reshape(lastKept, [rows]), "int32")), 1);
  const keep = (values: TfTensor, threshold: TfTensor) =>
    tf.mul(values, tf.cast(tf.greaterEqual(values, threshold), "float32"));
  const sums = tf.cumsum(keep(sorted, smallestOfK), 1);
  const wanted = tf.mul(tf.slice(sums, [0, vocabulary - 1], [rows, 1]), topP);
  const reached = tf.minimum(tf.sum(tf.cast(tf.less(sums, wanted), "int32"), 1), tf.scalar(vocabulary - 1, "int32"));
  const smallestOfP = tf.expandDims(picked(sorted, tf.cast(reached, "int32")), 1);
  const smallestOfMin = tf.mul(tf.slice(sorted, [0, 0], [rows, 1]), minP);
  return keep(shares, tf.maximum(tf.maximum(smallestOfK, smallestOfP), smallestOfMin));
}
