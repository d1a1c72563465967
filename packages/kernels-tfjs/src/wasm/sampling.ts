import { LaconicError } from "@laconic/core";
import { expectFloats, matrix, type Kernels } from "@laconic/engine/kernels";
import type { WasmDevice } from "./wasm-device.ts";

export function samplingKernels(device: WasmDevice): Pick<Kernels, "sampleTokens"> {
  const { store } = device;
  return {
    sampleTokens(logits, { temperature, topK, topP, minP, uniform }) {
      const [rows, vocabulary] = matrix(logits, "sampleTokens: logits");
      expectFloats(logits, logits.shape, "sampleTokens: logits");
      const settings = [temperature, topK, topP, minP, uniform];
      if (settings.some((values) => values.length !== rows))
        throw new LaconicError("input_invalid", `sampleTokens: every setting needs one value for each of ${rows} rows`);
      const [tokens, logProbs] = [store.allocate([rows], "int32"), store.allocate([rows])];
      store.scope(() => {
        const uploaded = settings.map((values) => store.upload(values, [rows]));
        const scratch = store.allocate([2 * vocabulary]);
        device.run("sampleTokens", logits, rows, vocabulary, ...uploaded, tokens, logProbs, scratch);
      });
      return { tokens, logProbs };
    },
  };
}
