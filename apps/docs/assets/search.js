/* The search: loads its data at the first key, and works from files only, without a server. */
(() => {
  const root = document.documentElement.dataset.root;
  const box = document.querySelector('search');
  const input = box.querySelector('input');
  const list = box.querySelector('ul');
  const most = 12;
  let loading;

  const load = (file) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}/assets/${file}`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });

  const prepare = async () => {
    await Promise.all([load('minisearch.js'), load('search-data.js')]);
    const index = new globalThis.MiniSearch({
      fields: ['heading', 'title', 'text'],
      storeFields: ['heading', 'title', 'text', 'address'],
      searchOptions: {
        boost: { heading: 4, title: 2 },
        prefix: true,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        combineWith: 'AND',
      },
    });
    index.addAll(globalThis.aoscSections.map((section, id) => ({ id, ...section })));
    return index;
  };

  /** Some words around the first match. */
  const excerpt = ({ text, terms }) => {
    const lower = text.toLowerCase();
    const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
    const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - 50);
    return `${from > 0 ? '…' : ''}${text.slice(from, from + 160)}${from + 160 < text.length ? '…' : ''}`;
  };

  const add = (parent, tag, text) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };

  const show = (results) => {
    list.replaceChildren();
    for (const result of results.slice(0, most)) {
      const link = add(add(list, 'li'), 'a');
      link.href = `${root}/${result.address}`;
      const { title, heading } = result;
      add(link, 'b', title === heading ? title : `${title} › ${heading}`);
      add(link, 'span', excerpt(result));
    }
    if (results.length === 0) add(list, 'li', 'Nothing found');
    list.hidden = false;
  };

  const search = async () => {
    const words = input.value.trim();
    if (words === '') {
      list.hidden = true;
      return;
    }
    loading ??= prepare();
    const index = await loading;
    if (input.value.trim() === words) show(index.search(words));
  };

  input.addEventListener('input', search);
  document.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) input.focus();
    else if (event.key === 'Escape') list.hidden = true;
    else if (!box.contains(document.activeElement) || list.hidden) return;
    else if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else if (event.key === 'Enter' && at < 0) links[0]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) list.hidden = true;
  });
  box.hidden = false;
})();
