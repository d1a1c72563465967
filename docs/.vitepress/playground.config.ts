import { join } from "node:path";
import view from "../../packages/view/vite.config.ts";

const repository = join(import.meta.dirname, "../..");
const page = join(repository, "packages/view/web/playground");

/** The playground as a self-contained folder, as the site serves it. */
export default {
  ...view,
  root: page,
  logLevel: "warn" as const,
  build: {
    ...view.build,
    outDir: join(repository, "docs/public/playground"),
    rolldownOptions: { input: join(page, "index.html") },
  },
};
