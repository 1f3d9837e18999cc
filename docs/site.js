// Browsers do not let a page that is opened as a file read the index of the search. The field then says what to do.
if (location.protocol === 'file:')
  addEventListener('DOMContentLoaded', () => {
    for (const field of document.querySelectorAll('[data-md-component=search-query]')) {
      field.disabled = true;
      field.placeholder = 'For the search: scripts/site --serve';
      field.title = 'A page that is opened as a file cannot be searched. Run scripts/site --serve and open http://127.0.0.1:8000/.';
    }
  });
