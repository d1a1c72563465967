import { kernelSampling } from "@laconic/core/backends";
import {
  matrixSize,
  isOnDevice,
  packSampling,
  type KernelFamily,
  type SamplingOnDevice,
  type SamplingRows,
} from "@laconic/engine/kernels";
import { scalarType, type ScalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { SamplingInputs } from "./sampling-inputs.ts";

const { float32, float64, int64 } = scalarType;

/** Draws one token per row by inverting the cumulative distribution. */
export function samplingKernels(device: TorchDevice): KernelFamily<"sampling"> {
  const { torch, store } = device;
  const wide = (logits: Handle, precision: "working" | "full"): Handle =>
    precision === "full" ? logits : device.widened(logits);
  const upload = (rows: SamplingRows): SamplingOnDevice => {
    const count = rows.uniform.length;
    const { settings, kind } = packSampling(rows);
    const floats = (values: Float32Array, width: number): SamplingOnDevice["settings"] =>
      device.make([count, width], () => torch.upload(values, [count, width]), "full");
    return { settings: floats(settings, kernelSampling.length), uniforms: floats(rows.uniform, 1), column: 0, kind };
  };
  return {
    sampleTokens(logits, rows) {
      const [count, vocabulary] = matrixSize(logits);
      const torchTensor = store.get(logits);
      return store.scope(() => {
        const inputs = new SamplingInputs(device, isOnDevice(rows) ? rows : upload(rows));
        const [tokens, logProbs] = torch.run<Handles<2>>(() => {
          if (count === 0) return [torch.empty([0], scalarType.int32), torch.empty([0], scalarType.float32)];
          const plain = wide(torchTensor.handle, torchTensor.precision);
          const scaled = inputs.kind.tempered ? torch.multiply(plain, inputs.inverseTemperature()) : plain;
          const shares = torch.call(aten.softmax, scaled, { int: 1 }, { bool: false });
          const chosen = choose(scaled, shares, inputs, vocabulary);
          const share = torch.gather(shares, chosen);
          return [
            torch.view(torch.cast(chosen, scalarType.int32), [count]),
            torch.view(torch.call(aten.log, share), [count]),
          ];
        });
        return {
          tokens: store.adoptInts(tokens, [count], [0, vocabulary - 1]),
          logProbs: store.adoptFloats(logProbs, [count], "full"),
        };
      });
    },
    tokenLogProbs(logits, tokens, count) {
      const [rows, vocabulary] = matrixSize(logits);
      const torchTensor = store.get(logits);
      const [logProbs, topTokens, topLogProbs] = torch.run<Handles<3>>(() => {
        const normalised = torch.call(
          aten.logSoftmax,
          wide(torchTensor.handle, torchTensor.precision),
          { int: 1 },
          { bool: false },
        );
        const chosen = torch.view(device.indices(store.get(tokens)), [rows, 1]);
        const picked = torch.gather(normalised, chosen);
        const top = torch.callMany(aten.topK, normalised, { int: count }, { int: 1 }, { bool: true }, { bool: true });
        return [torch.view(picked, [rows]), torch.cast(top[1], scalarType.int32), top[0]];
      });
      return {
        logProbs: store.adoptFloats(logProbs, [rows], "full"),
        topTokens: store.adoptInts(topTokens, [rows, count], [0, vocabulary - 1]),
        topLogProbs: store.adoptFloats(topLogProbs, [rows, count], "full"),
      };
    },
  };

  /** Replaces tokens without mass, which rounding can select, by the most likely one. int64 [B, 1]. */
  function withMass(drawn: Handle, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
    if (device.widest === scalarType.float64) return drawn;
    const inside = torch.call(aten.minimum, drawn, inputs.number(vocabulary - 1, scalarType.int64));
    const mass = torch.gather(shares, inside);
    const [, likeliest] = torch.callMany(aten.maxAlong, shares, { int: 1 }, { bool: true });
    return torch.call(aten.where, torch.call(aten.greater, mass, inputs.number(0)), inside, likeliest);
  }

  function choose(scaled: Handle, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
    const { greedy, cuts } = inputs.kind;
    const likeliest = (): Handle => torch.callMany(aten.maxAlong, scaled, { int: 1 }, { bool: true })[1];
    if (greedy === "all") return likeliest();
    const retained = cuts.length > 0 ? truncated(device, shares, inputs, vocabulary) : shares;
    const drawn = withMass(drawTokens(device, retained, inputs, vocabulary), retained, inputs, vocabulary);
    return greedy === "none" ? drawn : torch.call(aten.where, inputs.greedy(), likeliest(), drawn);
  }
}

const rankedTokens = 1024;

/** Shares [B, V] after top-k, then top-p of the rest, then min-p. */
function truncated(device: TorchDevice, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
  const { torch } = device;
  const { kind, rows } = inputs;
  const width = Math.min(vocabulary, Math.max(1, kind.maxK, kind.openTopP ? rankedTokens : 0));
  const [ranked] = torch.callMany(aten.topK, shares, { int: width }, { int: 1 }, { bool: true }, { bool: true });
  const likeliest = torch.view(ranked, [rows, 1], [width, 1]);
  let least = torch.multiply(inputs.setting("minP"), likeliest);
  if (kind.maxK > 0) {
    const last = torch.cast(inputs.lastOfTopK(width), int64);
    const border = torch.gather(ranked, last);
    least = torch.call(aten.maximum, least, torch.multiply(border, inputs.hasTopK()));
  }
  if (kind.cuts.includes("topP"))
    least = torch.call(aten.maximum, least, minOfTopP(device, shares, ranked, inputs, vocabulary, width));
  return torch.call(aten.where, torch.call(aten.atLeast, shares, least), shares, inputs.number(0));
}

/** Smallest share inside top-p, 0 without top-p; float32 [B, 1]. */
function minOfTopP(
  device: TorchDevice,
  shares: Handle,
  ranked: Handle,
  inputs: SamplingInputs,
  vocabulary: number,
  width: number,
): Handle {
  const { torch } = device;
  const { kind, rows } = inputs;
  const beyondTopK = torch.call(aten.atLeast, inputs.lastOfTopK(width), inputs.counting(width, float32));
  const retained = torch.cast(torch.call(aten.where, beyondTopK, ranked, inputs.number(0)), device.widest);
  const sums = torch.runningSums(retained);
  let total = torch.view(sums, [rows, 1], [width, 1], width - 1);
  if (kind.openTopP && width < vocabulary) {
    const masses = blockMasses(device, shares, rows, vocabulary);
    const whole = torch.call(aten.sumOver, masses, { some: { ints: [1] } }, { bool: true }, null);
    const limited = torch.call(aten.atLeast, inputs.hasTopK(), inputs.number(1));
    total = torch.call(aten.where, limited, total, whole);
  }
  const wanted = torch.multiply(torch.cast(inputs.setting("topP"), device.widest), total);
  const reached = torch.call(aten.searchSorted, sums, wanted, { bool: false }, { bool: false }, null, null);
  const last = torch.call(aten.minimum, reached, inputs.number(width - 1, int64));
  const border = torch.gather(ranked, last);
  const least = torch.multiply(border, inputs.hasTopP());
  if (kind.openTopP && width < vocabulary)
    replaceUnreached(device, { shares, least, wanted, reached }, inputs, [width, vocabulary]);
  return least;
}

/** Sorts rows whose ranked tokens did not reach top-p. */
function replaceUnreached(
  device: TorchDevice,
  { shares, least, wanted, reached }: Readonly<Record<"shares" | "least" | "wanted" | "reached", Handle>>,
  inputs: SamplingInputs,
  [width, vocabulary]: readonly [number, number],
): void {
  const { torch } = device;
  const behind = torch.cast(torch.call(aten.atLeast, reached, inputs.number(width, int64)), float32);
  const flags = new Float32Array(inputs.rows);
  torch.read(torch.multiply(behind, inputs.hasOpenTopP()), [inputs.rows, 1], flags);
  for (let row = 0; row < flags.length; row++) {
    if (flags[row] === 0) continue;
    // Row by row, because this takes five times the memory of the shares.
    torch.run(() => {
      const index = torch.uploadIndices(Int32Array.of(row), [1]);
      const own = (values: Handle): Handle => torch.selectRows(values, index);
      const [sorted] = torch.callMany(aten.sort, own(shares), { int: 1 }, { bool: true });
      const sums = torch.runningSums(torch.cast(sorted, device.widest));
      // Rounding must not exceed the total.
      const position = torch.call(
        aten.minimum,
        torch.call(aten.searchSorted, sums, own(wanted), { bool: false }, { bool: false }, null, null),
        inputs.number(vocabulary - 1, int64),
      );
      const border = torch.gather(sorted, position);
      torch.copyRows(least, index, border);
    });
  }
}

/** Few enough for exact float32 sums and cheap float64 sums. */
const blockWidth = 128;

/** Smaller vocabularies are summed whole. */
const smallVocabulary = 1024;

function largestBelowOne(type: ScalarType): number {
  return 1 - 2 ** (type === float64 ? -53 : -24);
}

/**
 * First token whose running sum exceeds the uniform number, by blocks.
 * @param shares - float32 [B, V], not negative, any sum
 * @returns int64 [B, 1]; never a token without mass
 */
function drawTokens(device: TorchDevice, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
  const { torch, widest } = device;
  const { rows } = inputs;
  /** First position whose running sum exceeds the target, [B, 1]. */
  const passes = (sums: Handle, target: Handle): Handle =>
    torch.call(aten.searchSorted, sums, target, { bool: false }, { bool: true }, null, null);

  if (vocabulary <= smallVocabulary) {
    const sums = torch.runningSums(torch.cast(shares, widest));
    const total = torch.view(sums, [rows, 1], [vocabulary, 1], vocabulary - 1);
    return passes(sums, torch.multiply(uniformBelowOne(device, inputs), total));
  }
  const masses = blockMasses(device, shares, rows, vocabulary);
  const blocks = Math.ceil(vocabulary / blockWidth);
  const ends = torch.runningSums(masses);
  const total = torch.view(ends, [rows, 1], [blocks, 1], blocks - 1);
  const most = inputs.number(largestBelowOne(widest), widest);
  const target = torch.multiply(uniformBelowOne(device, inputs), total);
  const block = passes(ends, target);
  const mass = torch.gather(masses, block);
  const before = torch.subtract(torch.gather(ends, block), mass);
  // Rounding must not leave the block.
  const into = torch.call(aten.divide, torch.subtract(target, before), mass);
  const part = torch.call(aten.minimum, torch.call(aten.maximum, into, inputs.number(0, widest)), most);

  const first = torch.multiply(torch.cast(block, widest), inputs.number(blockWidth, widest));
  const places = torch.add(first, inputs.counting(blockWidth, widest));
  const last = torch.call(aten.minimum, places, inputs.number(vocabulary - 1, widest));
  let within = torch.cast(torch.gather(shares, torch.cast(last, int64)), widest);
  // The last block may end after the vocabulary.
  if (vocabulary % blockWidth > 0) {
    const exists = torch.call(aten.less, places, inputs.number(vocabulary, widest));
    within = torch.multiply(within, torch.cast(exists, widest));
  }
  const sums = torch.runningSums(within);
  const inBlock = torch.view(sums, [rows, 1], [blockWidth, 1], blockWidth - 1);
  const position = passes(sums, torch.multiply(part, inBlock));
  return torch.cast(torch.add(first, torch.cast(position, widest)), int64);
}

/** A draw of 1 would be past the last token. Widest type, [B, 1]. */
function uniformBelowOne({ torch, widest }: TorchDevice, inputs: SamplingInputs): Handle {
  return torch.call(aten.minimum, torch.cast(inputs.uniform(), widest), inputs.number(largestBelowOne(widest), widest));
}

/** Widest type, [B, ceil(V / blockWidth)]. */
function blockMasses(device: TorchDevice, shares: Handle, rows: number, vocabulary: number): Handle {
  const { torch, widest } = device;
  const whole = Math.floor(vocabulary / blockWidth);
  const rest = vocabulary - whole * blockWidth;
  const parts: Handle[] = [];
  if (whole > 0) {
    const split = torch.view(shares, [rows, whole, blockWidth], [vocabulary, blockWidth, 1]);
    parts.push(torch.call(aten.sumOver, split, { some: { ints: [2] } }, { bool: false }, null));
  }
  if (rest > 0) {
    const tail = torch.view(shares, [rows, rest], [vocabulary, 1], whole * blockWidth);
    parts.push(torch.call(aten.sumOver, tail, { some: { ints: [1] } }, { bool: true }, null));
  }
  const [one = 0] = parts;
  return torch.cast(parts.length === 1 ? one : torch.cat(parts, 1), widest);
}
