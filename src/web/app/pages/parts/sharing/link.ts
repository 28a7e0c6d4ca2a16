/** Where a link leads. */
export const linkOf = (origin: string, token: string) => `${origin}/shared/${encodeURIComponent(token)}`;

/** HTML for another site that shows what a link opens. */
export function embedCode(origin: string, token: string, title: string): string {
  const src = `${origin}/embedded/${encodeURIComponent(token)}`;
  return `<iframe src="${escapeHtml(src)}" title="${escapeHtml(title)}" width="100%" height="600" loading="lazy" frameborder="0"></iframe>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
