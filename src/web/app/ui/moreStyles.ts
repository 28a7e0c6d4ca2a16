let loading: Promise<void> | null = null;

/** Loads the styles of pages that a first visit does not begin with, once. The head of the page says where they are. Rejects where they cannot be loaded. */
export function moreStyles(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = document.documentElement.dataset.moreStyles ?? "";
    link.onload = () => resolve();
    link.onerror = () => {
      loading = null;
      link.remove();
      reject(new Error("The styles of this page cannot be loaded."));
    };
    document.head.append(link);
  });
  return loading;
}
