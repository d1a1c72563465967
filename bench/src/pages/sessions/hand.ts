import type { Frame } from "playwright-core";

/** How a newcomer moves. Each returns how often something was pressed. */
export interface Hand {
  press(frame: Frame, role: "button" | "link", name: string): Promise<number>;
  /** A dialog of the system is no page: what is opened in it counts as one press. */
  openFiles(frame: Frame, label: string, files: readonly string[]): Promise<number>;
}

/** A mouse, or a finger. */
export const hands: Hand = {
  async press(frame, role, name) {
    await frame.getByRole(role, { name }).and(frame.locator(":visible")).click();
    return 1;
  },
  async openFiles(frame, label, files) {
    await frame.getByLabel(label).setInputFiles([...files]);
    return 1;
  },
};

/** Tab until it has the focus, then Enter. */
export const keys: Hand = {
  async press(frame, _, name) {
    const pressed = await tabTo(frame, `document.activeElement?.textContent?.trim() === ${JSON.stringify(name)}`);
    await frame.page().keyboard.press("Enter");
    return pressed + 1;
  },
  async openFiles(frame, label, files) {
    await frame.getByLabel(label).waitFor();
    const pressed = await tabTo(frame, `document.activeElement?.type === "file"`);
    await frame.getByLabel(label).setInputFiles([...files]);
    return pressed + 1;
  },
};

async function tabTo(frame: Frame, isThere: string): Promise<number> {
  for (let pressed = 1; pressed <= 60; pressed++) {
    await frame.page().keyboard.press("Tab");
    if (await frame.evaluate<boolean>(isThere)) return pressed;
  }
  throw new Error(`no Tab leads to where ${isThere}`);
}
