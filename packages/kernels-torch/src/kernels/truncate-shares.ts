import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { blockMasses } from "./draw-tokens.ts";
import type { SamplingInputs } from "./sampling-inputs.ts";

const largest = operator("aten::topk", "", 2);
const sort = operator("aten::sort", "", 2);
const gather = operator("aten::gather");
const cumulative = operator("aten::cumsum");
const search = operator("aten::searchsorted", "Tensor");
const sumOver = operator("aten::sum", "dim_IntList");
const multiply = operator("aten::mul", "Tensor");
const larger = operator("aten::maximum");
const smaller = operator("aten::minimum");
const atLeast = operator("aten::ge", "Tensor");
const select = operator("aten::where", "self");
const indexSelect = operator("aten::index_select");
const indexCopy = operator("aten::index_copy_");

const { float32, int64 } = scalarType;

/** Tokens that are ranked for a top-p without a top-k; it is rare that more are needed. */
const rankedTokens = 1024;

/** Shares [B, V] with everything cut set to 0: top-k, then top-p of what is left, then min-p of the likeliest. */
export function truncated(device: TorchDevice, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
  const { torch } = device;
  const { kind, rows } = inputs;
  const width = Math.min(vocabulary, Math.max(1, kind.maxK, kind.openTopP ? rankedTokens : 0));
  const [ranked] = torch.callMany(largest, shares, { int: width }, { int: 1 }, { bool: true }, { bool: true });
  const likeliest = torch.view(ranked, [rows, 1], [width, 1]);
  let least = torch.call(multiply, inputs.setting("minP"), likeliest);
  if (kind.maxK > 0) {
    const last = torch.cast(inputs.lastOfTopK(width), int64);
    const border = torch.call(gather, ranked, { int: 1 }, last, { bool: false });
    least = torch.call(larger, least, torch.call(multiply, border, inputs.hasTopK()));
  }
  if (kind.cuts.includes("topP"))
    least = torch.call(larger, least, minOfTopP(device, shares, ranked, inputs, vocabulary, width));
  return torch.call(select, torch.call(atLeast, shares, least), shares, inputs.number(0));
}

/** Share of the last of the fewest tokens that reach top-p, 0 for rows without one; float32 [B, 1]. */
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
  const beyondTopK = torch.call(atLeast, inputs.lastOfTopK(width), inputs.counting(width, float32));
  const kept = torch.cast(torch.call(select, beyondTopK, ranked, inputs.number(0)), device.widest);
  const sums = torch.call(cumulative, kept, { int: 1 }, null);
  let total = torch.view(sums, [rows, 1], [width, 1], width - 1);
  if (kind.openTopP && width < vocabulary) {
    const masses = blockMasses(device, shares, rows, vocabulary);
    const whole = torch.call(sumOver, masses, { some: { ints: [1] } }, { bool: true }, null);
    const limited = torch.call(atLeast, inputs.hasTopK(), inputs.number(1));
    total = torch.call(select, limited, total, whole);
  }
  const wanted = torch.call(multiply, torch.cast(inputs.setting("topP"), device.widest), total);
  const reached = torch.call(search, sums, wanted, { bool: false }, { bool: false }, null, null);
  const last = torch.call(smaller, reached, inputs.number(width - 1, int64));
  const border = torch.call(gather, ranked, { int: 1 }, last, { bool: false });
  const least = torch.call(multiply, border, inputs.hasTopP());
  if (kind.openTopP && width < vocabulary)
    replaceUnreached(device, { shares, least, wanted, reached }, inputs, [width, vocabulary]);
  return least;
}

/** Sorts the rows whose mass the ranked tokens did not reach; the host has to ask which. */
function replaceUnreached(
  device: TorchDevice,
  { shares, least, wanted, reached }: Readonly<Record<"shares" | "least" | "wanted" | "reached", Handle>>,
  inputs: SamplingInputs,
  [width, vocabulary]: readonly [number, number],
): void {
  const { torch } = device;
  const behind = torch.cast(torch.call(atLeast, reached, inputs.number(width, int64)), float32);
  const flags = new Float32Array(inputs.rows);
  torch.read(torch.call(multiply, behind, inputs.hasOpenTopP()), [inputs.rows, 1], flags);
  for (let row = 0; row < flags.length; row++) {
    if (flags[row] === 0) continue;
    // One row at a time: sorted shares and their sums in float64 take five times the memory of the shares.
    torch.run(() => {
      const at = torch.uploadIndices(Int32Array.of(row), [1]);
      const own = (values: Handle): Handle => torch.call(indexSelect, values, { int: 0 }, at);
      const [sorted] = torch.callMany(sort, own(shares), { int: 1 }, { bool: true });
      const sums = torch.call(cumulative, torch.cast(sorted, device.widest), { int: 1 }, null);
      // Rounding must not ask for more than all of it.
      const place = torch.call(
        smaller,
        torch.call(search, sums, own(wanted), { bool: false }, { bool: false }, null, null),
        inputs.number(vocabulary - 1, int64),
      );
      const border = torch.call(gather, sorted, { int: 1 }, place, { bool: false });
      torch.call(indexCopy, least, { int: 0 }, at, border);
      return [];
    });
  }
}
