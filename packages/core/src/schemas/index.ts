/**
 * Stored data as zod schemas.
 * @module @laconic/core/schemas
 */
export { episodeSchema, problemSchema } from "./stored.ts";
export { issueWords } from "./issue-words.ts";
export { parseBy } from "./parse-by.ts";
export { schemaOf } from "./schema-of.ts";
