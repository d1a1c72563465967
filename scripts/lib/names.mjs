/** npm scope of all published packages. */
export const scope = "@laconic";
/** npm package of the command line. */
export const cli = `${scope}/cli`;
/** Repository URL in manifests and on pages. */
export const repository = "https://github.com/laconic-ai/laconic";
