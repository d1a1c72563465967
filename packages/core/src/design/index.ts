/**
 * Type, space and colour of everything Laconic draws: dashboard, playground, reports, charts and the site take theirs from here.
 * @module @laconic/core/design
 */
export { colourStyle, designStyle, seriesColour } from "./tokens.ts";
