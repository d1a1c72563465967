import { join } from "node:path";
import { defineConfig } from "vite";

const web = join(import.meta.dirname, "web");

/** Two separate pages: the dashboard and the playground. */
export default defineConfig({
  root: web,
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    outDir: join(import.meta.dirname, "dist/web"),
    emptyOutDir: true,
    target: "es2023",
    // Pages fetch only from their site, which excludes data addresses.
    assetsInlineLimit: 0,
    rolldownOptions: { input: [join(web, "dashboard/index.html"), join(web, "playground/index.html")] },
  },
});
