import { expect, test } from "vitest";
import { anyonesPython, obstacle, printedBy, users } from "./as-user.ts";

const script = new URL("open-as-user.ts", import.meta.url);

test.for(users)("started by %s, bubblewrap blocks every program", async ([, user], { skip }) => {
  const reason = obstacle(user, script);
  if (reason !== null) return skip(reason);
  const result = await printedBy<Record<string, unknown>>(user, script, [anyonesPython]);
  if (result["code"] === "device_unavailable") return skip(String(result["message"]));
  expect(result).toEqual({ user, status: "ok", stdout: "False False False []\n10000\n", stderr: "" });
});
