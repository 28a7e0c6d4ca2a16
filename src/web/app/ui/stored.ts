/** What the browser keeps under a key; null: nothing, or it keeps nothing at all. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** Has the browser keep a value, as JSON; null: it forgets what it has. */
export function store(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser keeps nothing, or has no room: the page has it.
  }
}
