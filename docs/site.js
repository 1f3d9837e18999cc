// Browsers do not let a page that is opened as a file read the index of the search, so the theme hides the search. A note says how to get it.
if (location.protocol === 'file:')
  addEventListener('DOMContentLoaded', () => {
    const note = Object.assign(document.createElement('span'), { className: 'site-note', textContent: 'Search needs a server: scripts/site --serve',
      title: 'A page that is opened as a file cannot be searched. Run scripts/site --serve and open http://127.0.0.1:8000/.' });
    document.querySelector('.md-header__inner')?.append(note);
  });
