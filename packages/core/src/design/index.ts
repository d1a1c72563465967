/**
 * Type, space and colour of everything Laconic draws.
 * @module @laconic/core/design
 */
export { colourStyle, designStyle, seriesColour } from "./tokens.ts";
