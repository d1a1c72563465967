/** c10::ScalarType codes; part of PyTorch's stable interface. */
export const scalarType = { int32: 3, int64: 4, float32: 6, float64: 7, bool: 11, bfloat16: 15 } as const;

export type ScalarType = (typeof scalarType)[keyof typeof scalarType];
