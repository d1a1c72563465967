import { scalarType, type ScalarType } from "../native/scalar-type.ts";
import { aten, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { SamplingInputs } from "./sampling-inputs.ts";

const { float64, int64 } = scalarType;

/** Tokens per block: few enough for exact float32 sums and cheap float64 sums. */
const blockWidth = 128;

/** Smaller vocabularies are summed whole. */
const smallVocabulary = 1024;

function largestBelowOne(type: ScalarType): number {
  return 1 - 2 ** (type === float64 ? -53 : -24);
}

/**
 * Token at which a row's cumulative mass exceeds its uniform number: first its block, then the token.
 * @param shares - float32 [B, V], not negative, any sum
 * @returns int64 [B, 1]; never a token without mass
 */
export function drawTokens(device: TorchDevice, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
  const { torch, widest } = device;
  const { rows } = inputs;
  const at = (values: Handle, index: Handle): Handle =>
    torch.call(aten.gather, values, { int: 1 }, index, { bool: false });
  /** First position whose running sum exceeds the target, [B, 1]. */
  const passes = (sums: Handle, target: Handle): Handle =>
    torch.call(aten.searchSorted, sums, target, { bool: false }, { bool: true }, null, null);

  if (vocabulary <= smallVocabulary) {
    const sums = torch.call(aten.cumsum, torch.cast(shares, widest), { int: 1 }, null);
    const total = torch.view(sums, [rows, 1], [vocabulary, 1], vocabulary - 1);
    return passes(sums, torch.call(aten.multiply, uniformBelowOne(device, inputs), total));
  }
  const masses = blockMasses(device, shares, rows, vocabulary);
  const blocks = Math.ceil(vocabulary / blockWidth);
  const ends = torch.call(aten.cumsum, masses, { int: 1 }, null);
  const total = torch.view(ends, [rows, 1], [blocks, 1], blocks - 1);
  const most = inputs.number(largestBelowOne(widest), widest);
  const target = torch.call(aten.multiply, uniformBelowOne(device, inputs), total);
  const block = passes(ends, target);
  const mass = at(masses, block);
  const before = torch.subtract(at(ends, block), mass);
  // Rounding must not leave the block.
  const into = torch.call(aten.divide, torch.subtract(target, before), mass);
  const part = torch.call(aten.minimum, torch.call(aten.maximum, into, inputs.number(0, widest)), most);

  const first = torch.call(aten.multiply, torch.cast(block, widest), inputs.number(blockWidth, widest));
  const places = torch.add(first, inputs.counting(blockWidth, widest));
  const last = torch.call(aten.minimum, places, inputs.number(vocabulary - 1, widest));
  let within = torch.cast(at(shares, torch.cast(last, int64)), widest);
  // The last block may end after the vocabulary.
  if (vocabulary % blockWidth > 0) {
    const exists = torch.call(aten.less, places, inputs.number(vocabulary, widest));
    within = torch.call(aten.multiply, within, torch.cast(exists, widest));
  }
  const sums = torch.call(aten.cumsum, within, { int: 1 }, null);
  const inBlock = torch.view(sums, [rows, 1], [blockWidth, 1], blockWidth - 1);
  const place = passes(sums, torch.call(aten.multiply, part, inBlock));
  return torch.cast(torch.add(first, torch.cast(place, widest)), int64);
}

/** A draw of 1 would select a position after the last token. Widest type, [B, 1]. */
function uniformBelowOne({ torch, widest }: TorchDevice, inputs: SamplingInputs): Handle {
  return torch.call(aten.minimum, torch.cast(inputs.uniform(), widest), inputs.number(largestBelowOne(widest), widest));
}

/** Sums of each block in the widest type, [B, ceil(V / blockWidth)]. */
export function blockMasses(device: TorchDevice, shares: Handle, rows: number, vocabulary: number): Handle {
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
  return torch.cast(parts.length === 1 ? one : torch.call(aten.cat, { tensors: parts }, { int: 1 }), widest);
}
