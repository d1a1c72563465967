/**
 * What is stored, as zod schemas: plain data is checked at the border, nowhere else.
 * @module @laconic/core/schemas
 */
export { episodeSchema, problemSchema } from "./stored.ts";
export { issueWords } from "./issue-words.ts";
export { parseBy } from "./parse-by.ts";
export { schemaOf } from "./schema-of.ts";
