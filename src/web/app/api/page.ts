/** A page of a list, and where the next one begins; null: there is none. */
export interface Page<T, C> {
  items: readonly T[];
  next: C | null;
}
