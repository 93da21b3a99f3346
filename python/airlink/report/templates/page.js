(() => {
  for (const button of document.querySelectorAll('button.copy')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.parentElement.querySelector('pre');
      getSelection().selectAllChildren(text);
      const done = await navigator.clipboard.writeText(text.textContent).then(() => true, () => document.execCommand('copy'));
      button.textContent = done ? 'Copied' : 'Selected';
    });
  }
  addEventListener('beforeprint', () => document.querySelectorAll('details.claims').forEach((each) => { each.open = true; }));
})();
