/** The page with every marked table as its rows give it; throws where a file, row or field is missing. */
export function withTables(page: string): string;
