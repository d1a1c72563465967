/** Common shapes by name. */
const commonShapes = {
  number: { kind: "number" },
  atLeast0: { kind: "number", min: 0 },
  above0: { kind: "number", above: 0 },
  above1: { kind: "number", above: 1 },
  count: { kind: "number", integer: true, min: 0 },
  positive: { kind: "number", integer: true, min: 1 },
  share: { kind: "number", min: 0, max: 1 },
  shareBelow1: { kind: "number", min: 0, below: 1 },
  shareAbove0: { kind: "number", above: 0, max: 1 },
  boolean: { kind: "boolean" },
  text: { kind: "text" },
  name: { kind: "text", notEmpty: true },
} as const;

export type ShapeName = keyof typeof commonShapes;

export type WrittenShape =
  | NumberShape
  | { readonly kind: "boolean" }
  | { readonly kind: "text"; readonly notEmpty?: boolean }
  | { readonly kind: "choice"; readonly of: readonly (string | number | null)[] }
  | { readonly kind: "list"; readonly of: Shape; readonly least?: number; readonly most?: number }
  | { readonly kind: "group"; readonly fields: Readonly<Record<string, Field>> }
  | { readonly kind: "either"; readonly of: readonly Shape[] };

/** Allowed values as plain data; checks, schemas, help and docs derive from it. */
export type Shape = ShapeName | WrittenShape;

export function writtenShape(shape: Shape): WrittenShape {
  return typeof shape === "string" ? commonShapes[shape] : shape;
}

/** Inclusive `min` and `max`. */
export interface NumberShape {
  readonly kind: "number";
  readonly integer?: boolean;
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly below?: number;
}

/** Field of a group. */
export interface Field {
  readonly help?: string;
  readonly shape: Shape;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  /** Optional fields without a default are off. */
  readonly default?: unknown;
  /** Whether it has an effect. Default: always. */
  readonly actsWith?: (others: Readonly<Record<string, unknown>>) => boolean;
}

/** A missing key does not compile. */
export type FieldsOf<T> = {
  readonly [K in keyof T]-?: Field &
    (undefined extends T[K] ? { readonly optional: true } : { readonly optional?: false }) &
    (null extends T[K] ? { readonly nullable: true } : { readonly nullable?: false });
};

/** Group with the fields of a type. */
export interface GroupShape<T> {
  readonly kind: "group";
  readonly fields: FieldsOf<T>;
}

/** Object with these fields. */
export function group<T>(fields: FieldsOf<T>): GroupShape<T> {
  return { kind: "group", fields };
}

export type ValueOf<S extends Shape> = S extends ShapeName
  ? NamedValue<S>
  : S extends { readonly kind: "group"; readonly fields: infer Fields }
    ? ValuesOf<Fields>
    : S extends { readonly kind: "choice"; readonly of: readonly (infer Choice)[] }
      ? Choice
      : S extends { readonly kind: "number" }
        ? number
        : S extends { readonly kind: "boolean" }
          ? boolean
          : S extends { readonly kind: "text" }
            ? string
            : S extends { readonly kind: "list"; readonly of: infer Item extends Shape }
              ? readonly ValueOf<Item>[]
              : never;

type NamedValue<S extends ShapeName> = S extends "boolean" ? boolean : S extends "text" | "name" ? string : number;

/** Type of an object with the fields of a table written `as const`. */
export type ValuesOf<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends Optional ? never : Name]: FieldValue<Fields[Name]>;
} & {
  readonly [Name in keyof Fields as Fields[Name] extends Optional ? Name : never]?: FieldValue<Fields[Name]>;
};

interface Optional {
  readonly optional: true;
}

type FieldValue<F> = F extends Field
  ? ValueOf<F["shape"]> | (F extends { readonly nullable: true } ? null : never)
  : never;
