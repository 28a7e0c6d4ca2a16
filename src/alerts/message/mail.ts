/** A letter, as the outbox keeps it. */
export interface Letter {
  subject: string;
  text: string;
  html: string;
  /** Index signature of JSON. */
  [member: string]: string;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text of a stranger as text of HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

const SUBJECT_MAX = 200;

/** One line, as headers need it. */
export const subjectOf = (text: string): string =>
  [...text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim()].slice(0, SUBJECT_MAX).join("");

const STYLE = "font:14px/1.5 system-ui,sans-serif;color:#1a1a1a";

/** The whole of a letter around its parts, which are HTML. */
export const pageOf = (parts: readonly string[]): string =>
  `<!doctype html><html><body style="${STYLE}">${parts.join("\n")}</body></html>`;

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

export const linkTo = (url: string, text: string): string =>
  `<p><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></p>`;
