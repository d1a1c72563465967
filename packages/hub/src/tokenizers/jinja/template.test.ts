import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { dateText } from "../date-text.ts";
import { compileTemplate } from "./template.ts";
import { fromJson } from "./values.ts";
import tables from "./template.cases.json" with { type: "json" };

const messages = fromJson([
  { role: "system", content: "sys" },
  { role: "user", content: "Hi 'you'" },
  { role: "assistant", content: "é👍 ß" },
]);
const render = (source: string): string => compileTemplate(source)({ messages });

// Texts are what transformers 5.18 renders; the random templates of the parity test cover the rest.
test.each(tables.table1)("renders %j", (source, text) => expect(render(source)).toBe(text));

function thrownBy(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (LaconicError.is(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "nothing";
}

test.each(tables.table2)("refuses %j by name", (source, message) =>
  expect(thrownBy(() => render(source))).toContain(message),
);

test("an unknown filter in a branch that does not run is no error, as in Jinja", () => {
  expect(render("{% if false %}{{ 1|nope }}{% endif %}ok")).toBe("ok");
});

test("the date formats of chat templates", () => {
  const date = new Date(2026, 2, 5, 14, 7, 9);
  expect(dateText(date, "%d %b %Y, %A %-d %B, %I:%M:%S %p, %H, %j, %y%m%d, %F %T %%")).toBe(
    "05 Mar 2026, Thursday 5 March, 02:07:09 PM, 14, 064, 260305, 2026-03-05 14:07:09 %",
  );
  expect(thrownBy(() => dateText(date, "%U"))).toContain("the date format %U, which is not supported");
});
