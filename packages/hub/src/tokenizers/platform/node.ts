export { openGuardedEncoder } from "../guarded-encoder.ts";
export { readTextFile } from "../read-text-file.ts";
