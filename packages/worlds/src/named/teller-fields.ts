import * as z from "zod";
import { knownNames } from "../stories/lexicon.ts";

type OptionalInteger = z.ZodExactOptional<z.ZodInt>;

/** Settings of the worlds in which tellers say whose a thing is. */
export const tellerFields: {
  readonly tellerTokens: OptionalInteger;
  readonly solverTokens: OptionalInteger;
  readonly madeUp: z.ZodExactOptional<z.ZodNumber>;
  readonly names: OptionalInteger;
  readonly ask: z.ZodExactOptional<z.ZodEnum<{ named: "named"; thanks: "thanks"; "one-day": "one-day" }>>;
  readonly opening: z.ZodExactOptional<z.ZodString>;
  readonly spelling: z.ZodExactOptional<z.ZodNumber>;
} = {
  tellerTokens: z.int().min(1).exactOptional(),
  solverTokens: z.int().min(1).exactOptional(),
  madeUp: z.number().min(0).max(1).exactOptional(),
  names: z.int().min(1).max(knownNames.length).exactOptional(),
  ask: z.enum(["named", "thanks", "one-day"]).exactOptional(),
  opening: z.string().exactOptional(),
  spelling: z.number().min(0).exactOptional(),
};
