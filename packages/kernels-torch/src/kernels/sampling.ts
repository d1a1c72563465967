import { expectSampling, expectTokenLogProbs, matrix, type Kernels, type SamplingRows } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const multiply = operator("aten::mul", "Tensor");
const softmax = operator("aten::_softmax");
const logSoftmax = operator("aten::_log_softmax");
const maxAlong = operator("aten::max", "dim", 2);
const gather = operator("aten::gather");
const cumulative = operator("aten::cumsum");
const search = operator("aten::searchsorted", "Tensor");
const largest = operator("aten::topk", "", 2);
const sort = operator("aten::sort", "", 2);
const atLeast = operator("aten::ge", "Tensor");
const larger = operator("aten::maximum");
const smaller = operator("aten::minimum");
const select = operator("aten::where", "self");

/** One token per row by inverting the cumulative distribution; the sums run in float64. */
export function samplingKernels(device: TorchDevice): Pick<Kernels, "sampleTokens" | "tokenLogProbs"> {
  const { torch, store } = device;
  return {
    sampleTokens(logits, settings) {
      const [rows, vocabulary] = expectSampling(logits, settings);
      const given = store.get(logits);
      const [tokens, logProbs] = torch.run<Handles<2>>(() => {
        const wide = given.precision === "full" ? given.handle : device.widened(given.handle);
        const scaled = scaleRows(device, wide, settings.temperature);
        const chosen = chooseTokens(device, scaled, settings, vocabulary);
        const normalised = torch.call(logSoftmax, scaled, { int: 1 }, { bool: false });
        const picked = torch.call(gather, normalised, { int: 1 }, chosen, { bool: false });
        return [torch.view(torch.cast(chosen, scalarType.int32), [rows]), torch.view(picked, [rows])];
      });
      return {
        tokens: store.adoptInts(tokens, [rows], [0, vocabulary - 1]),
        logProbs: store.adoptFloats(logProbs, [rows], "full"),
      };
    },
    tokenLogProbs(logits, tokens, count) {
      expectTokenLogProbs(logits, tokens, count);
      const [rows, vocabulary] = matrix(logits, "tokenLogProbs: logits");
      const given = store.get(logits);
      const [logProbs, topTokens, topLogProbs] = torch.run<Handles<3>>(() => {
        const wide = given.precision === "full" ? given.handle : device.widened(given.handle);
        const normalised = torch.call(logSoftmax, wide, { int: 1 }, { bool: false });
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
}

function column(device: TorchDevice, values: Float32Array | Float64Array): Handle {
  return device.torch.upload(values, [values.length, 1]);
}

/** Logits over the temperature; greedy rows stay as they are. */
function scaleRows(device: TorchDevice, logits: Handle, temperature: Float32Array): Handle {
  if (temperature.every((each) => each === 1 || each === 0)) return logits;
  const inverse = temperature.map((each) => (each === 0 ? 1 : 1 / each));
  return device.torch.call(multiply, logits, column(device, inverse));
}

/** int64 [B, 1]. */
function chooseTokens(device: TorchDevice, scaled: Handle, settings: SamplingRows, vocabulary: number): Handle {
  const { torch } = device;
  const { temperature, topK, topP, minP, uniform } = settings;
  const greedy = (): Handle => torch.callMany(maxAlong, scaled, { int: 1 }, { bool: true })[1];
  if (temperature.every((each) => each === 0)) return greedy();
  let shares = torch.cast(torch.call(softmax, scaled, { int: 1 }, { bool: false }), scalarType.float64);
  const cuts = topK.some((k) => k > 0 && k < vocabulary) || topP.some((p) => p < 1) || minP.some((p) => p > 0);
  if (cuts) shares = truncated(device, shares, settings, vocabulary);
  const sums = torch.call(cumulative, shares, { int: 1 }, null);
  const rows = uniform.length;
  const total = torch.view(sums, [rows, 1], [vocabulary, 1], vocabulary - 1);
  // A draw of 1 would fall behind the last token, and one at the end of the mass on a token without any.
  const below = column(
    device,
    Float64Array.from(uniform, (u) => Math.min(u, largestBelowOne)),
  );
  const drawn = torch.call(
    search,
    sums,
    torch.call(multiply, below, total),
    ...[{ bool: false }, { bool: true }, null, null],
  );
  if (!temperature.includes(0)) return drawn;
  const isGreedy = torch.call(
    atLeast,
    column(
      device,
      temperature.map((each) => (each === 0 ? 1 : 0)),
    ),
    column(device, new Float32Array(rows).fill(1)),
  );
  return torch.call(select, isGreedy, greedy(), drawn);
}

const largestBelowOne = 1 - 2 ** -53;

/** Shares with everything cut set to 0: top-k, then top-p of what is left, then min-p of the likeliest. */
function truncated(device: TorchDevice, shares: Handle, settings: SamplingRows, vocabulary: number): Handle {
  const { torch } = device;
  const rows = settings.topK.length;
  const [sorted] = torch.callMany(sort, shares, { int: 1 }, { bool: true });
  const likeliest = torch.view(sorted, [rows, 1], [vocabulary, 1]);
  const lastKept = Float64Array.from(settings.topK, (k) => (k > 0 && k < vocabulary ? k : vocabulary) - 1);
  const smallestOfK = torch.call(gather, sorted, { int: 1 }, torch.uploadIndices(lastKept, [rows, 1]), { bool: false });
  const keep = (values: Handle, threshold: Handle): Handle =>
    torch.call(multiply, values, torch.cast(torch.call(atLeast, values, threshold), scalarType.float64));
  // In descending order, so that the sums find the fewest tokens that reach the mass.
  const sums = torch.call(cumulative, keep(sorted, smallestOfK), { int: 1 }, null);
  const total = torch.view(sums, [rows, 1], [vocabulary, 1], vocabulary - 1);
  const wanted = torch.call(multiply, column(device, Float64Array.from(settings.topP)), total);
  const reached = torch.call(search, sums, wanted, { bool: false }, { bool: false }, null, null);
  const last = torch.uploadIndices(new Float64Array(rows).fill(vocabulary - 1), [rows, 1]);
  const smallestOfP = torch.call(gather, sorted, { int: 1 }, torch.call(smaller, reached, last), { bool: false });
  const smallestOfMin = torch.call(multiply, column(device, Float64Array.from(settings.minP)), likeliest);
  return keep(shares, torch.call(larger, torch.call(larger, smallestOfK, smallestOfP), smallestOfMin));
}
