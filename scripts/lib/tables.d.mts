/** Fills every marked table of a page from its rows; throws if a file, row or field is missing. */
export function withTables(page: string): string;
