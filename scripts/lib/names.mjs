/** npm scope of all published packages. */
export const scope = "@laconic";
/** Repository URL in manifests and on pages. */
export const repository = "https://github.com/laconic-ai/laconic";
