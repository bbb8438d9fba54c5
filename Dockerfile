# docker build --tag dprepro .
# docker run --rm --user "$(id -u)" --env HOME=/tmp --volume "$PWD/results:/measured/results" dprepro +experiment=lasso_rate
FROM python:3.12-slim
# whoever runs it may write there: files in a mounted folder are to belong to the reader outside
RUN useradd --create-home reader && mkdir --mode=777 /measured
COPY . /opt/dprepro
RUN pip install --no-cache-dir --constraint /opt/dprepro/constraints.txt '/opt/dprepro[data]'
USER reader
WORKDIR /measured
ENTRYPOINT ["python", "-m", "dprepro"]
