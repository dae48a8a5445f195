#include "CSystem.h"
#include <pthread.h>
#include <stdatomic.h>

struct crew {
  catalog_part function;
  void *context;
  size_t count;
  atomic_size_t next_part, next_worker;
  pthread_mutex_t lock;
  pthread_cond_t done;
  int working;
};

static void take_parts(struct crew *crew, size_t worker) {
  for (size_t part; (part = atomic_fetch_add(&crew->next_part, 1)) < crew->count;)
    crew->function(crew->context, worker, part);
}

static void help(void *argument) {
  struct crew *crew = argument;
  take_parts(crew, atomic_fetch_add(&crew->next_worker, 1));
  /* The caller may free the crew as soon as the lock is released. */
  pthread_mutex_lock(&crew->lock);
  crew->working--;
  pthread_cond_signal(&crew->done);
  pthread_mutex_unlock(&crew->lock);
}

void catalog_divide(size_t threads, size_t count, catalog_part function, void *context) {
  struct crew crew = {.function = function,
                      .context = context,
                      .count = count,
                      .next_worker = 1,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .done = PTHREAD_COND_INITIALIZER};
  for (size_t worker = 1; worker < threads && worker < count; worker++) {
    pthread_mutex_lock(&crew.lock);
    crew.working++;
    pthread_mutex_unlock(&crew.lock);
    if (catalog_detach(help, &crew) == 0) continue;
    pthread_mutex_lock(&crew.lock);
    crew.working--;
    pthread_mutex_unlock(&crew.lock);
    break;
  }
  take_parts(&crew, 0);
  pthread_mutex_lock(&crew.lock);
  while (crew.working > 0) pthread_cond_wait(&crew.done, &crew.lock);
  pthread_mutex_unlock(&crew.lock);
}
