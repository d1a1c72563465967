import { expect, test } from "vitest";
import { optionCheck } from "./index.ts";

interface Options {
  readonly baseUrl: string;
  readonly apiKey?: string;
}
const check = optionCheck<Options>()("ask", "baseUrl apiKey");

test.each([
  ["baseURL", "did you mean baseUrl?"],
  ["api_key", "did you mean apiKey?"],
  ["constructor", "use one of: baseUrl, apiKey"],
  ["__proto__", "use one of: baseUrl, apiKey"],
])("refuses %s: %s", (key, hint) => {
  const options = JSON.parse(`{"baseUrl": "a", "${key}": 1}`) as Options;
  expect(() => check(options)).toFailWith("config_invalid", `ask: unknown option ${key}; ${hint}`, { key });
});

test("takes known keys, also where they are undefined, and needs each of them named", () => {
  expect(check({ baseUrl: "a", apiKey: undefined } as unknown as Options)).toBeUndefined();
  // @ts-expect-error -- apiKey is missing
  expect(optionCheck<Options>()("ask", "baseUrl")).toBeTypeOf("function");
  // @ts-expect-error -- seed is no key
  expect(optionCheck<Options>()("ask", "baseUrl apiKey seed")).toBeTypeOf("function");
});
