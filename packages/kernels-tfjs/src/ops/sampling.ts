import type { SamplingName } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import {
  matrixSize,
  isOnDevice,
  packSampling,
  type Kernels,
  type SamplingKind,
  type SamplingOnDevice,
  type SamplingRows,
} from "@laconic/engine/kernels";
import {
  add,
  argMax,
  cast,
  cumsum,
  div,
  expandDims,
  fill,
  gather,
  greaterEqual,
  lessEqual,
  less,
  logSoftmax,
  max,
  maximum,
  minimum,
  mul,
  onesLike,
  pad,
  range,
  reshape,
  scalar,
  slice,
  softmax,
  sub,
  sum,
  tensor1d,
  tensor2d,
  tidy,
  topk,
  where,
  greater,
  type Tensor as TfTensor,
} from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";
import { picked } from "./rows.ts";

/** One token per row by inverting the cumulative distribution. */
export function samplingKernels(device: OpsDevice): Pick<Kernels, "sampleTokens" | "tokenLogProbs"> {
  const { store } = device;
  return {
    sampleTokens(logits, settings) {
      const [rows, vocabulary] = matrixSize(logits);
      const [tokens, logProbs] = tidy<[TfTensor, TfTensor]>(() => {
        if (rows === 0) return [tensor1d([], "int32"), tensor1d([])];
        const inputs = inputsOf(device, settings);
        const scaled = scaleRows(device.data(logits), inputs);
        const chosen = chooseTokens(scaled, inputs, vocabulary);
        return [chosen, picked(logSoftmax(scaled), chosen)];
      });
      return { tokens: store.adoptInts(tokens, [0, vocabulary - 1]), logProbs: store.adoptFloats(logProbs) };
    },
    tokenLogProbs(logits, tokens, count) {
      const [rows, vocabulary] = matrixSize(logits);
      const [logProbs, topTokens, topLogProbs] = tidy<[TfTensor, TfTensor, TfTensor]>(() => {
        const none = rows * count === 0;
        const normalised = rows === 0 ? null : logSoftmax(device.data(logits));
        const top = none || normalised === null ? null : topk(normalised, count, true);
        return [
          normalised ? picked(normalised, device.data(tokens)) : tensor1d([]),
          top ? cast(top.indices, "int32") : tensor2d([], [rows, count], "int32"),
          top ? top.values : tensor2d([], [rows, count]),
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

/** Settings and uniform numbers of all rows, [B, 1] each. */
interface Inputs {
  readonly kind: SamplingKind;
  readonly setting: (name: SamplingName) => TfTensor;
  readonly uniform: TfTensor;
}

function inputsOf(device: OpsDevice, given: SamplingRows | SamplingOnDevice): Inputs {
  const packed = isOnDevice(given) ? null : packSampling(given);
  const { kind } = isOnDevice(given) ? given : (packed as NonNullable<typeof packed>);
  const settings = isOnDevice(given)
    ? device.data(given.settings)
    : tensor2d(packed?.settings ?? [], [given.uniform.length, kernelSampling.length]);
  const rows = settings.shape[0];
  const uniform = isOnDevice(given)
    ? slice(device.data(given.uniforms), [0, given.column], [rows, 1])
    : tensor2d(given.uniform, [rows, 1]);
  return { kind, setting: (name) => slice(settings, [0, kernelSampling.indexOf(name)], [rows, 1]), uniform };
}

/** Logits over the temperature; greedy rows stay as they are. */
function scaleRows(logits: TfTensor, { kind, setting }: Inputs): TfTensor {
  if (!kind.tempered) return logits;
  const temperature = setting("temperature");
  return mul(logits, where(greater(temperature, 0), div(scalar(1), temperature), onesLike(temperature)));
}

/** int32 [B]. */
function chooseTokens(scaled: TfTensor, inputs: Inputs, vocabulary: number): TfTensor {
  const { kind, setting, uniform } = inputs;
  const greedy = (): TfTensor => cast(argMax(scaled, 1), "int32");
  if (kind.greedy === "all") return greedy();
  const shares = softmax(scaled);
  const drawn = invert(kind.cuts.length > 0 ? truncated(shares, inputs, vocabulary) : shares, uniform);
  if (kind.greedy === "none") return drawn;
  return where(reshape(lessEqual(setting("temperature"), 0), [-1]), greedy(), drawn);
}

/** Tokens in a block. Sums within and over blocks stay short, so float32 carries them. */
const blockWidth = 256;

/** The token at which the sums of a row pass its uniform number; one without mass is never it. int32 [B]. */
function invert(shares: TfTensor, uniform: TfTensor): TfTensor {
  const [rows, vocabulary] = shares.shape as [number, number];
  const blocks = Math.ceil(vocabulary / blockWidth);
  const filled = pad(shares, [
    [0, 0],
    [0, blocks * blockWidth - vocabulary],
  ]);
  const split = reshape(filled, [rows, blocks, blockWidth]);
  const masses = sum(split, 2);
  const ends = cumsum(masses, 1);
  const target = mul(slice(ends, [0, blocks - 1], [rows, 1]), uniform);
  const block = passes(masses, ends, target);
  const inBlock = gather(
    reshape(split, [rows * blocks, blockWidth]),
    add(mul(range(0, rows, 1, "int32"), scalar(blocks, "int32")), block),
  );
  const before = sub(picked(ends, block), picked(masses, block));
  // Rounding must not step back in front of the block.
  const rest = maximum(sub(reshape(target, [rows]), before), 0);
  const token = passes(inBlock, cumsum(inBlock, 1), expandDims(rest, 1));
  return add(mul(block, scalar(blockWidth, "int32")), token);
}

/** The first place whose running sum lies above the target, and no later than the last that holds mass. int32 [B]. */
function passes(masses: TfTensor, sums: TfTensor, target: TfTensor): TfTensor {
  const width = masses.shape[1] as number;
  const before = sum(cast(lessEqual(sums, target), "int32"), 1);
  const last = max(mul(cast(greater(masses, 0), "int32"), range(0, width, 1, "int32")), 1);
  return cast(minimum(before, last), "int32");
}

/** Shares with everything cut set to 0: top-k, then top-p of what is left, then min-p of the likeliest. */
function truncated(shares: TfTensor, { setting }: Inputs, vocabulary: number): TfTensor {
  const [topK, topP, minP] = [setting("topK"), setting("topP"), setting("minP")];
  const rows = topK.shape[0];
  const sorted = topk(shares, vocabulary, true).values;
  const all = fill([rows, 1], vocabulary);
  const lastKept = sub(where(greater(topK, 0), minimum(topK, all), all), scalar(1));
  const smallestOfK = expandDims(picked(sorted, cast(reshape(lastKept, [rows]), "int32")), 1);
  const keep = (values: TfTensor, threshold: TfTensor): TfTensor =>
    mul(values, cast(greaterEqual(values, threshold), "float32"));
  // In descending order, so that the sums find the fewest tokens that reach the mass.
  const sums = cumsum(keep(sorted, smallestOfK), 1);
  const wanted = mul(slice(sums, [0, vocabulary - 1], [rows, 1]), topP);
  const reached = minimum(sum(cast(less(sums, wanted), "int32"), 1), scalar(vocabulary - 1, "int32"));
  const smallestOfP = expandDims(picked(sorted, cast(reached, "int32")), 1);
  const smallestOfMin = mul(slice(sorted, [0, 0], [rows, 1]), minP);
  return keep(shares, maximum(maximum(smallestOfK, smallestOfP), smallestOfMin));
}
