import type { Table } from "../../query/mod.ts";
import type { Json } from "../../types/mod.ts";

/** The page loads and runs nothing, does not send its address to other sites, and is not kept by search engines. */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *",
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex",
  "X-Content-Type-Options": "nosniff",
};

interface Titled {
  name: string;
  description: string;
}

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1d1f27; }
table { border-collapse: collapse; } th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child { text-align: left; } .scroll { overflow-x: auto; }`;

/** What a link opens, as a page that needs no script. */
export function sharedPage({ name, description }: Titled, { columns, rows }: Table): Response {
  const title = escapeHtml(name);
  const row = (cells: readonly Json[], tag: "th" | "td") =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(shown(cell))}</${tag}>`).join("")}</tr>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1><p>${escapeHtml(description)}</p>
<div class="scroll"><table><thead>${row(columns, "th")}</thead><tbody>${rows.map((cells) => row(cells, "td")).join("\n")}</tbody></table></div>
</body></html>
`;
  return new Response(html, { headers: HEADERS });
}

function shown(cell: Json): string {
  if (cell === null) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
