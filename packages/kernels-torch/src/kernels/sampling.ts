import { kernelSampling } from "@laconic/core/backends";
import {
  matrixSize,
  isOnDevice,
  packSampling,
  type Kernels,
  type SamplingOnDevice,
  type SamplingRows,
} from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { drawTokens } from "./draw-tokens.ts";
import { SamplingInputs } from "./sampling-inputs.ts";
import { truncated } from "./truncate-shares.ts";

const multiply = operator("aten::mul", "Tensor");
const softmax = operator("aten::_softmax");
const logSoftmax = operator("aten::_log_softmax");
const logarithm = operator("aten::log");
const maxAlong = operator("aten::max", "dim", 2);
const gather = operator("aten::gather");
const largest = operator("aten::topk", "", 2);
const larger = operator("aten::gt", "Tensor");
const smaller = operator("aten::minimum");
const select = operator("aten::where", "self");

/** One token per row by inverting the cumulative distribution: of whole numbers [B, V] there are only shares in float32. */
export function samplingKernels(device: TorchDevice): Pick<Kernels, "sampleTokens" | "tokenLogProbs"> {
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
      const given = store.get(logits);
      return store.scope(() => {
        const inputs = new SamplingInputs(device, isOnDevice(rows) ? rows : upload(rows));
        const [tokens, logProbs] = torch.run<Handles<2>>(() => {
          if (count === 0) return [torch.empty([0], scalarType.int32), torch.empty([0], scalarType.float32)];
          const plain = wide(given.handle, given.precision);
          const scaled = inputs.kind.tempered ? torch.call(multiply, plain, inputs.inverseTemperature()) : plain;
          const shares = torch.call(softmax, scaled, { int: 1 }, { bool: false });
          const chosen = choose(scaled, shares, inputs, vocabulary);
          const share = torch.call(gather, shares, { int: 1 }, chosen, { bool: false });
          return [
            torch.view(torch.cast(chosen, scalarType.int32), [count]),
            torch.view(torch.call(logarithm, share), [count]),
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
      const given = store.get(logits);
      const [logProbs, topTokens, topLogProbs] = torch.run<Handles<3>>(() => {
        const normalised = torch.call(logSoftmax, wide(given.handle, given.precision), { int: 1 }, { bool: false });
        const chosen = torch.view(device.indices(store.get(tokens)), [rows, 1]);
        const picked = torch.call(gather, normalised, { int: 1 }, chosen, { bool: false });
        const top = torch.callMany(largest, normalised, { int: count }, { int: 1 }, { bool: true }, { bool: true });
        return [torch.view(picked, [rows]), torch.cast(top[1], scalarType.int32), top[0]];
      });
      return {
        logProbs: store.adoptFloats(logProbs, [rows], "full"),
        topTokens: store.adoptInts(topTokens, [rows, count], [0, vocabulary - 1]),
        topLogProbs: store.adoptFloats(topLogProbs, [rows, count], "full"),
      };
    },
  };

  /** Running sums in float32 may rise by rounding at a token without mass; the row then takes its likeliest. int64 [B, 1]. */
  function withMass(drawn: Handle, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
    if (device.widest === scalarType.float64) return drawn;
    const inside = torch.call(smaller, drawn, inputs.number(vocabulary - 1, scalarType.int64));
    const mass = torch.call(gather, shares, { int: 1 }, inside, { bool: false });
    const [, likeliest] = torch.callMany(maxAlong, shares, { int: 1 }, { bool: true });
    return torch.call(select, torch.call(larger, mass, inputs.number(0)), inside, likeliest);
  }

  /** int64 [B, 1]. */
  function choose(scaled: Handle, shares: Handle, inputs: SamplingInputs, vocabulary: number): Handle {
    const { greedy, cuts } = inputs.kind;
    const likeliest = (): Handle => torch.callMany(maxAlong, scaled, { int: 1 }, { bool: true })[1];
    if (greedy === "all") return likeliest();
    const kept = cuts.length > 0 ? truncated(device, shares, inputs, vocabulary) : shares;
    const drawn = withMass(drawTokens(device, kept, inputs, vocabulary), kept, inputs, vocabulary);
    return greedy === "none" ? drawn : torch.call(select, inputs.greedy(), likeliest(), drawn);
  }
}
