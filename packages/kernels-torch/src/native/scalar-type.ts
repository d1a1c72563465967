/** c10::ScalarType codes; part of PyTorch's stable interface. */
export const scalarType = { int32: 3, int64: 4, float32: 6, float64: 7, bool: 11, bfloat16: 15 } as const;

export type ScalarType = (typeof scalarType)[keyof typeof scalarType];

export const bytesOf: Readonly<Record<ScalarType, number>> = { 3: 4, 4: 8, 6: 4, 7: 8, 11: 1, 15: 2 };
