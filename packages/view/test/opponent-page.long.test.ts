import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { closeServer } from "@laconic/serve/server";
import { createViewServer, openViewer } from "@laconic/view";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { webFolder } from "../src/web-folder.ts";
import { chromiumPath, openChromium } from "./fixture/open-page.ts";
import { smallDuel } from "./small-runs.ts";

test.skipIf(chromiumPath === null)(
  "in Chromium the list names the opponent of an episode, and its conversation the turn that it played",
  { timeout: 120_000 },
  async () => {
    const [pages, runs] = [await webFolder(), await temporaryFolder()];
    await smallDuel(join(runs, "duel"));
    const viewer = await openViewer({ folders: [runs], pages, onError: (error) => expect(error).toBeNull() });
    const server = createViewServer(viewer, (error) => expect(error).toBeNull());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await openChromium();
    onTestFinished(async () => {
      await browser.close();
      await closeServer(server, 1000);
      await viewer.close();
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(20_000);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await page.getByRole("link", { name: "duel", exact: true }).click();
    await page.getByRole("link", { name: "Episodes", exact: true }).click();
    await page.getByLabel("Kind").selectOption("training");
    await page
      .locator(".row .answer", { hasText: /· opponent step-[02]/u })
      .first()
      .click();
    const played = page.locator(".turn", { hasText: /played by the opponent step-[02]/u });
    await played.waitFor();
    expect(await page.locator(".turn").count()).toBe(2);
    // Nobody is trained on its words.
    expect(await played.innerText()).not.toContain("advantage");
    expect(await page.locator(".turn", { hasText: "advantage" }).count()).toBe(1);
  },
);
