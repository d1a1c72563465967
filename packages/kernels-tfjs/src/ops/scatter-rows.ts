import { expandDims, tensorScatterUpdate, tidy, type Tensor as TfTensor } from "@tensorflow/tfjs-core";

/** `putRows` of any backend: a copy of the data with some rows replaced. */
export function scatterRows(data: TfTensor, rows: TfTensor, values: TfTensor): TfTensor {
  return tidy(() => tensorScatterUpdate(data, expandDims(rows, 1), values));
}
