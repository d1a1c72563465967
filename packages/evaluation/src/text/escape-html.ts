const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for an HTML or SVG text node or quoted attribute. Everything a model or a configuration wrote passes through here. */
export function escapeHtml(text: string): string {
  // Control characters are not allowed in XML and hide text from a reader.
  const visible = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd");
  return visible.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}
