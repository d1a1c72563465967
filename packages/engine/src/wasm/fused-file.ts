/** Where the fused kernels lie. In this form, at this depth, bundlers find the file and ship it. */
export const fusedFile: URL = new URL("../../assets/fused.wasm", import.meta.url);

/** The same source with fused multiplication and addition in its products. */
export const fmaFile: URL = new URL("../../assets/fused-fma.wasm", import.meta.url);
