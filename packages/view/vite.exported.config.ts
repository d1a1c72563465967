import { join } from "node:path";
import { defineConfig } from "vite";

const web = join(import.meta.dirname, "web");

/** The dashboard as one script and one style sheet, for exported pages. */
export default defineConfig({
  root: web,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(import.meta.dirname, "dist/web"),
    emptyOutDir: false,
    target: "es2023",
    lib: {
      entry: join(web, "dashboard/exported/main.tsx"),
      formats: ["iife"],
      name: "laconicCopy",
      fileName: () => "exported/page.js",
      cssFileName: "exported/page",
    },
  },
});
