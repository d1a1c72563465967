import { mapValues } from "@laconic/core";
import { samplingFieldShapes, type SamplingFields } from "@laconic/core/backends";
import { schemaOf } from "@laconic/core/schemas";
import { z } from "zod";

type Optional<T> = z.ZodExactOptional<z.ZodType<T>>;
type SamplingShape = { readonly [Field in keyof Required<SamplingFields>]: Optional<number> };

/** Includes values without effect. */
const samplingShape = mapValues(samplingFieldShapes("openai-extended"), (shape) =>
  schemaOf(shape).exactOptional(),
) as SamplingShape;

export const surfaceShape: SamplingShape & {
  readonly model: z.ZodType<string>;
  readonly temperature: Optional<number>;
  readonly seed: Optional<number>;
  readonly stream: Optional<boolean>;
  readonly user: Optional<string>;
} = {
  ...samplingShape,
  model: z.string(),
  temperature: z.number().min(0).max(100).exactOptional(),
  seed: z.int().exactOptional(),
  stream: z.boolean().exactOptional(),
  user: z.string().exactOptional(),
};

/** Labels of a request. */
export const metadataSchema: z.ZodType<Readonly<Record<string, string>>> = z.record(
  z.string().max(64),
  z.string().max(512),
);

export const notStored = (remedy: string): string => `this server stores nothing; ${remedy}`;

/** Labels, and parameters with a value that has no effect. */
export const idleShape: {
  readonly store: Optional<unknown>;
  readonly service_tier: Optional<unknown>;
  readonly safety_identifier: Optional<unknown>;
  readonly verbosity: Optional<unknown>;
} & Readonly<Record<string, Optional<unknown>>> = {
  logit_bias: z.strictObject({}).exactOptional(),
  modalities: z.tuple([z.literal("text")]).exactOptional(),
  reasoning_effort: z.literal("none").exactOptional(),
  verbosity: z.literal("medium").exactOptional(),
  service_tier: z.enum(["auto", "default"]).exactOptional(),
  store: z.literal(false, { error: notStored("remove it or send false") }).exactOptional(),
  metadata: metadataSchema.exactOptional(),
  safety_identifier: z.string().max(512).exactOptional(),
  // Ignored: the model decides.
  parallel_tool_calls: z.boolean().exactOptional(),
};

export const commonShape: typeof surfaceShape & {
  readonly n: Optional<number>;
  readonly stream_options: Optional<{ readonly include_usage?: boolean }>;
  readonly max_tokens: Optional<number>;
} = {
  ...surfaceShape,
  ...idleShape,
  n: z.int().min(1).max(128).exactOptional(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().exactOptional(),
      include_obfuscation: z.literal(false).exactOptional(),
    })
    .exactOptional(),
  max_tokens: z.int().min(1).exactOptional(),
};

/** Text, or joined text parts. */
export const textSchema: z.ZodType<string> = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text"), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join("")),
]);

export interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
