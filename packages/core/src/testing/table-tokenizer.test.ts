import { expect, test } from "vitest";
import { tableTokenizer } from "./index.ts";

test("rejects unencodable text by name", () => {
  const tokenizer = tableTokenizer("ab");
  expect(() => tokenizer.encode("abc")).toThrowError(
    expect.objectContaining({ code: "input_invalid", detail: { character: "c" } }),
  );
  expect(() => tokenizer.decode([5])).toThrowError(
    expect.objectContaining({ code: "input_invalid", detail: { token: 5 } }),
  );
  expect(() => tableTokenizer("aba")).toThrowError(expect.objectContaining({ code: "input_invalid" }));
});
