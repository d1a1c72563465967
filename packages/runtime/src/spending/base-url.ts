import { environmentValue } from "../folders/environment.ts";

/** Of the OpenAI-compatible server that is asked where none is named. */
export function defaultBaseUrl(): string {
  return environmentValue("OPENAI_BASE_URL") ?? "https://api.openai.com/v1";
}
