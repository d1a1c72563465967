/** Any synchronous Standard Schema (zod, valibot, arktype). */
export interface RowSchema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => RowResult<T> | Promise<RowResult<T>>;
  };
}

type RowResult<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function readRow<T>(schema: RowSchema<T>, row: unknown): { readonly problem: T } | { readonly reason: string } {
  const result = schema["~standard"].validate(row);
  if (result instanceof Promise) return { reason: "the row schema is asynchronous; give a synchronous one" };
  if (!result.issues) return { problem: result.value };
  const words = result.issues.map(({ path = [], message }) =>
    [...path.map((part) => String(typeof part === "object" ? part.key : part)), message].join(": "),
  );
  return { reason: words.join("; ") };
}
