import { add, gather, mul, range, reshape, scalar, type Tensor as TfTensor } from "@tensorflow/tfjs-core";

/** One value of each row: values [B, V], columns int32 [B] -> [B]. */
export function picked(values: TfTensor, columns: TfTensor): TfTensor {
  const [rows, width] = values.shape as [number, number];
  const places = add(mul(range(0, rows, 1, "int32"), scalar(width, "int32")), columns);
  return gather(reshape(values, [rows * width]), places);
}
