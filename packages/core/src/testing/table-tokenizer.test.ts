import { expect, test } from "vitest";
import { tableTokenizer } from "./index.ts";

test("rejects unencodable text by name", () => {
  const tokenizer = tableTokenizer("ab");
  expect(() => tokenizer.encode("abc")).toFailWith("input_invalid", { character: "c" });
  expect(() => tokenizer.decode([5])).toFailWith("input_invalid", { token: 5 });
  expect(() => tableTokenizer("aba")).toFailWith("input_invalid");
});
